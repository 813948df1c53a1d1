"""What leaves the gradebook: a student's folder in autograded/, the table of grades, and the points shown in feedback."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import bleach  # type: ignore[import-untyped]  # it carries no types
from bleach.css_sanitizer import CSSSanitizer  # type: ignore[import-untyped]
from nbgrader.api import Assignment, Gradebook, MissingEntry, Student
from nbgrader.plugins import ExportPlugin
from nbgrader.preprocessors import GetGrades
from nbgrader.utils import parse_utc

from grading.results import Finished
from grading.submission import Submission, UnreadableFile, read_plain_file

# What `nbgrader submit` writes, and nothing else that a date parser would take.
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?( [A-Z]{2,5}| [+-]\d\d(\d\d)?)?")
_SECRET = re.compile(r"[0-9a-f]{128}")
_PERSON = ("student_id", "last_name", "first_name", "email")
_SCORES = ("raw_score", "late_submission_penalty", "score", "max_score")
_COLUMNS = ("assignment", "duedate", "timestamp", *_PERSON, *_SCORES, "status")
_TAGS = (
    "a abbr b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre s "
    "span strong sub summary sup table tbody td tfoot th thead tr u ul"
)
_ATTRIBUTES = "align alt class colspan height href id open rowspan src start style title width"
RETRAINING = "retraining.json"  # stays where a result is written anew: it says itself what it depends on
_CLOCKS_DIFFER = timedelta(days=1)


def read_timestamp(folder: Path) -> datetime | None:
    """When a submission was handed in, in UTC, as its timestamp.txt says; None where that is not what nbgrader writes.

    The file comes with the submission: it is never followed as a symlink, and a moment still to come is no answer. A student who
    can write into the exchange can still name an earlier moment; only the exchange's own clock could tell.
    """
    text = _exchange_text(folder, "timestamp.txt", _TIMESTAMP)
    if text is None:
        return None
    try:
        found: datetime = parse_utc(text)
    except (ValueError, OverflowError):
        return None
    return found if found <= datetime.now(UTC).replace(tzinfo=None) + _CLOCKS_DIFFER else None


def exchange_secret(folder: Path) -> str | None:
    """The secret of a submission that came through the exchange, by which its student fetches feedback; None without one."""
    return _exchange_text(folder, "submission_secret.txt", _SECRET)


def _exchange_text(folder: Path, name: str, form: re.Pattern[str]) -> str | None:
    """The text of one of the two small files that `nbgrader submit` adds, if it looks as nbgrader writes it."""
    if folder.is_symlink() or folder.parent.is_symlink():
        return None
    try:
        text = read_plain_file(folder / name, 1000).decode("ascii").strip()
    except (UnreadableFile, UnicodeDecodeError):
        return None
    return text if form.fullmatch(text) else None


def write_folder(target: Path, inbox: Path, submission: Submission, finished: Finished) -> None:
    """Put a student's folder into autograded/, whole: the finished notebook, the verdicts, and the files that were asked for.

    Of nbgrader's own files the timestamp and the submission's secret go along, which releasing feedback needs.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=target.parent) as stage:
        ready = Path(stage, "ready")
        ready.mkdir()
        for name, content in _folder_files(inbox, submission, finished):
            (ready / name).write_bytes(content)
        if (target / RETRAINING).is_file():
            shutil.copy2(target / RETRAINING, ready)
        shutil.rmtree(target, ignore_errors=True)
        ready.rename(target)


def _folder_files(inbox: Path, submission: Submission, finished: Finished) -> Iterator[tuple[str, bytes]]:
    yield from submission.files.items()
    if read_timestamp(inbox) is not None and (text := _exchange_text(inbox, "timestamp.txt", _TIMESTAMP)):
        yield "timestamp.txt", text.encode()
    if secret := exchange_secret(inbox):
        yield "submission_secret.txt", secret.encode()
    yield f"{submission.assignment}.ipynb", finished.notebook
    yield "verdicts.json", finished.as_json()
    if finished.record:
        yield "record.txt", finished.record


class CourseExport(ExportPlugin):
    """nbgrader's table of grades, with a column that says how far a submission is graded.

    Where a machine could not decide a cell and no person has, the scores are blank: a number there would count the cell as 0.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the table to `to`, or to grades.csv. Called by `nbgrader export`."""
        destination = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", destination)
        with open(destination, "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
            table.writeheader()
            for assignment in gradebook.assignments:
                for student in gradebook.students:
                    if _asked_for(assignment.name, self.assignment) and _asked_for(student.id, self.student):
                        table.writerow(_row(gradebook, assignment, student))


def _asked_for(name: str, asked: list[Any]) -> bool:
    return not asked or name in {str(item) for item in asked}


def _row(gradebook: Gradebook, assignment: Assignment, student: Student) -> dict[str, Any]:
    """One line of the table; DictWriter leaves None blank."""
    person = {"student_id": student.id, "last_name": student.last_name, "first_name": student.first_name, "email": student.email}
    row = {"assignment": assignment.name, "duedate": assignment.duedate, "max_score": assignment.max_score, **person}
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return row | {"raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0, "status": "not handed in"}
    row |= {"timestamp": submission.timestamp, "late_submission_penalty": submission.late_submission_penalty}
    row["status"] = grading_status(submission)
    if row["status"] != "ungraded":
        row |= {"raw_score": submission.score, "score": max(0.0, submission.score - submission.late_submission_penalty)}
    return row


def grading_status(submission: Any) -> str:
    """ "graded"; "ungraded" where a machine could not decide a cell; "waits for a person" where one has written cells to read."""
    undecided = [grade for notebook in submission.notebooks for grade in notebook.grades if _undecided(grade)]
    if any(_is_for_machine(grade) for grade in undecided):
        return "ungraded"
    return "waits for a person" if undecided else "graded"


def _undecided(grade: Any) -> bool:
    return grade.auto_score is None and grade.manual_score is None


def _is_for_machine(grade: Any) -> bool:
    written = {cell.name for cell in grade.cell.notebook.solution_cells}
    return grade.cell.type == "GradeCell" and grade.cell.cell_type == "code" and grade.cell.name not in written


class Waiting(str):
    """What stands where a template would print points that nobody has decided yet; rounding leaves it alone."""

    def __round__(self, digits: int = 0) -> Waiting:
        return self


def points_or_waiting(value: Any, default: float = 0.0) -> Any:
    """The filter `float` of nbgrader's feedback template, which would make 0.0 of anything that is no number."""
    if isinstance(value, Waiting):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return default


def clean_markup(markup: str) -> str:
    """HTML with everything that Markdown and our verdicts are made of, and no scripts.

    A filter of the templates of feedback and formgrader, in the place of nbconvert's `clean_html`, which knows neither
    paragraphs, headings nor images, and would print their tags.
    """
    protocols = {*bleach.ALLOWED_PROTOCOLS, "data"}
    styles = CSSSanitizer(allowed_css_properties=["text-align"])
    text = markup.decode() if isinstance(markup, bytes) else str(markup)
    return str(bleach.clean(text, _TAGS.split(), _allowed_attribute, protocols, css_sanitizer=styles))


def _allowed_attribute(tag: str, name: str, value: str) -> bool:
    """Images may be part of the page; a link may not lead to a page that it brings along."""
    if value.strip().lower().startswith("data:"):
        return tag == "img" and name == "src"
    return name in _ATTRIBUTES.split()


class FeedbackGrades(GetGrades):
    """nbgrader's grades in a feedback page; cells that are not graded yet say so in place of 0.0."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Add scores and comments to a notebook. Called by `nbgrader generate_feedback`."""
        nb, resources = super().preprocess(nb, resources)
        scores = [cell.metadata.get("nbgrader", {}).get("score") for cell in nb.cells]
        if any(isinstance(score, Waiting) for score in scores):
            resources["nbgrader"]["score"] = Waiting(f"at least {resources['nbgrader']['score']:g}")
        return nb, resources

    def _get_score(self, cell: Any, resources: Any) -> None:
        super()._get_score(cell, resources)
        names = (self.notebook_id, self.assignment_id, self.student_id)
        if _undecided(self.gradebook.find_grade(cell.metadata.nbgrader.grade_id, *names)):
            cell.metadata.nbgrader["score"] = Waiting("not graded yet")
