"""nbgrader's own commands on a small course: what they score, what they refuse to follow, what they keep."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Course as NbgraderCourse
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory

from grading import bridge, sandboxed
from grading.bridge import CourseAutograde
from grading.course import Course
from grading.export import CourseExport
from grading.gradebook import open_gradebook
from grading.sandbox.launch import Launch, bare_launch
from grading.sandbox.warm import SandboxFault
from grading.sandboxed import Sandbox
from grading.verdict import Finding
from tests.tiny_course import KINDS, ON_TIME, OUTSIDE, RIGHT, Place, handed_in, make_course, text_of


@pytest.fixture(scope="module")
def graded_course(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A course in which every kind of submission has been graded and got its feedback; tests only look at it."""
    place = make_course(tmp_path_factory.mktemp("course"))
    for name, kind in KINDS.items():
        kind.make(place.root / "submitted" / name / "tiny")
    place.nbgrader("generate_assignment", "tiny")
    place.nbgrader("autograde", "tiny")
    place.nbgrader("generate_feedback", "tiny")
    return place


@pytest.mark.parametrize("student", KINDS)
def test_each_kind_gets_its_points(graded_course: Place, student: str) -> None:
    """Gradebook and verdicts.json say the same; what a machine could not judge has no points and waits for a person."""
    kind = KINDS[student]
    scores = graded_course.scores(student)
    points = {"double": kind.double, "triple": kind.triple, "essay": None}
    assert scores == {cell: (earned, earned is None) for cell, earned in points.items()}
    verdicts = graded_course.verdicts(student)
    assert verdicts["status"] == ("ungraded" if kind.double is None else "graded")
    assert verdicts["points"] == (kind.double or 0) + (kind.triple or 0)
    assert verdicts["student"] == student


def test_export_is_blank_where_nobody_has_decided(graded_course: Place) -> None:
    """A number stands for machine-graded points, nothing for ungraded ones."""
    rows = graded_course.exported()
    assert set(rows) == set(KINDS)
    for student, kind in KINDS.items():
        expected = "" if kind.double is None or kind.triple is None else str(kind.double + kind.triple)
        assert (rows[student]["raw_score"], rows[student]["score"]) == (expected, expected), student
        assert rows[student]["status"] == ("ungraded" if kind.double is None else "waits for a person")


def test_nothing_else_of_a_submission_is_kept(graded_course: Place) -> None:
    """Of what students hand in, only the notebook, the files asked for, and nbgrader's own two files reach autograded/."""
    for student in KINDS:
        folder = graded_course.root / "autograded" / student / "tiny"
        extra = {"notes.csv", "timestamp.txt", "submission_secret.txt"} if student == "right" else set()
        extra |= {"timestamp.txt"} if student == "not_json" else set()
        found = sorted(folder.rglob("*"))
        assert {path.name for path in found} == {"tiny.ipynb", "verdicts.json", *extra}, student
        assert not any(path.is_symlink() or OUTSIDE in path.read_text() for path in found)
    assert (graded_course.root / "autograded" / "right" / "tiny" / "timestamp.txt").read_text() == ON_TIME


def test_timestamps_are_those_of_the_collector(graded_course: Place) -> None:
    """What is no timestamp of nbgrader's, or lies behind a symlink, is no timestamp."""
    with graded_course.gradebook() as book:
        known = {s.student.id: s.timestamp.isoformat() for s in book.assignment_submissions("tiny") if s.timestamp}
    assert known == dict.fromkeys(("right", "not_json"), "2025-01-02T03:04:05.000006")


def test_feedback_shows_verdicts_and_nothing_hidden(graded_course: Place) -> None:
    """Messages and points are there; the hidden lines, the seed and the instructor's record are not."""
    for student, kind in KINDS.items():
        folder = graded_course.root / "feedback" / student / "tiny"
        page = (folder / "tiny.html").read_text()
        assert "grader_tests" not in page
        assert "HIDDEN" not in page
        assert not (folder / "verdicts.json").exists()
        assert not (folder / "record.txt").exists()
        assert ("Score: not graded yet / 3.0" in page) == (kind.triple is None), student
        assert f"tiny (Score: at least {(kind.double or 0) + (kind.triple or 0):g} / 7.0)" in page
    page = (graded_course.root / "feedback" / "right" / "tiny" / "tiny.html").read_text()
    assert "alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<strong>strong</strong> $x^2$" in page
    assert "<th>head</th>" in page
    page = (graded_course.root / "feedback" / "half" / "tiny" / "tiny.html").read_text()
    assert "<b>passed 2/2</b> Right: twice the number." in page
    assert "Checked: three times the number." in page
    assert "Score: 0.0 / 3.0" in page


def test_finished_notebooks_carry_what_nbgrader_reads(graded_course: Place) -> None:
    """The metadata of the source with checksum and type, whatever the student's file said."""
    finished = nbformat.read(graded_course.root / "autograded" / "schema_99" / "tiny" / "tiny.ipynb", as_version=4)
    release = nbformat.read(graded_course.root / "release" / "tiny" / "tiny.ipynb", as_version=4)
    found = [cell.metadata.nbgrader for cell in finished.cells if "nbgrader" in cell.metadata]
    assert found == [cell.metadata.nbgrader for cell in release.cells if "nbgrader" in cell.metadata]


HOOK = "def note(**known):\n    print('told of', known['assignment'], known['student'])\n"


def test_later_runs(graded_course: Place, tmp_path: Path) -> None:
    """Skipping, one student by force, hooks, late penalties, and what a person has entered."""
    root = shutil.copytree(graded_course.root, tmp_path / "course", symlinks=True)
    place, autograded = Place(root), root / "autograded"
    (root / "grader_tests" / "hooks.py").write_text(HOOK)
    with place.gradebook() as book:
        enter_by_hand(book)
    before = place.scores("misnamed")
    (root / "submitted" / "half" / "tiny" / "tiny.ipynb").write_text(text_of(handed_in(**RIGHT)))
    hook = "--Autograde.post_convert_hook=grader_tests.hooks.note"
    log = place.nbgrader("autograde", "tiny", "--force", "--student", "half", hook)
    assert log.count("Scoring") == 1
    assert "submitted/half/tiny" in log
    assert "told of tiny half" in log
    shutil.rmtree(autograded / "right")
    shutil.rmtree(autograded / "not_json")
    log = place.nbgrader("autograde", "tiny", "--LateSubmissionPlugin.penalty_method=zero")
    assert (log.count("Scoring"), log.count("Skipping existing assignment")) == (2, len(KINDS) - 2)
    assert place.scores("misnamed") == before
    with place.gradebook() as book:
        assert book.find_comment("essay", "tiny", "tiny", "half").comment == "Write something."
        assert book.find_grade("double", "tiny", "tiny", "not_json").score == 1.75
        scores = {s.student.id: (s.score, s.late_submission_penalty) for s in book.assignment_submissions("tiny")}
        assert (scores["right"], scores["half"], scores["not_json"]) == ((5.0, 5.0), (7.0, 0.0), (1.75, 1.75))
        CourseExport(to=str(tmp_path / "table.csv"), student=["right", "half", "not_json", "absent"]).export(book)
    lines = [line.split(",") for line in (tmp_path / "table.csv").read_text().splitlines()]
    found = {line[3]: (line[9], line[11]) for line in lines[1:]}
    assert found["half"] == ("7.0", "graded")
    assert found["right"] == ("0.0", "waits for a person")
    assert found["not_json"] == ("", "ungraded")
    assert found["absent"] == ("0.0", "not handed in")


def enter_by_hand(book: Gradebook) -> None:
    """What an instructor enters between two runs."""
    book.update_or_create_assignment("tiny", duedate="2025-01-01")
    book.add_student("absent")
    by_hand = book.find_grade("double", "tiny", "tiny", "not_json")
    by_hand.manual_score, by_hand.extra_credit, by_hand.needs_manual_grade = 1.5, 0.25, False
    book.find_comment("essay", "tiny", "tiny", "half").manual_comment = "Write something."
    book.find_grade("essay", "tiny", "tiny", "half").manual_score = 2.0
    book.db.commit()


def test_without_a_sandbox_students_must_be_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run refuses and says why; with students trusted it goes through, also where generate_assignment was not run."""
    place = make_course(tmp_path)
    KINDS["right"].make(tmp_path / "submitted" / "right" / "tiny")
    monkeypatch.setattr(bridge, "choose_launch", bare_launch)
    with pytest.raises(NbGraderException, match="There is no sandbox on this machine"):
        CourseAutograde(coursedir=CourseDirectory(root=str(tmp_path), assignment_id="tiny")).start()
    assert not (tmp_path / "autograded").exists()
    place.nbgrader("autograde", "tiny", "--CourseAutograde.trust_students=True", PATH="")
    assert place.verdicts("right")["points"] == 5
    assert place.verdicts("right")["sandbox"].startswith(("unsandboxed", "Landlock"))  # bubblewrap is not on this PATH


@pytest.mark.parametrize("asked", [{"notebook_id": "other*"}, {"assignment_id": "other"}, {"student_id": "nobody"}])
def test_nothing_to_grade_is_said(tmp_path: Path, asked: dict[str, str]) -> None:
    """A run that was asked for what is not there ends with an error."""
    KINDS["right"].make(tmp_path / "submitted" / "right" / "tiny")
    directory = CourseDirectory(root=str(tmp_path), **({"assignment_id": "tiny"} | asked))
    with pytest.raises(NbGraderException, match="No submissions were matched"):
        CourseAutograde(coursedir=directory).init_notebooks()


CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.db_url = "sqlite:///{}/declared.db"
c.LateSubmissionPlugin.penalty_method = "zero"
"""


def test_course_score_writes_where_nbgrader_reads(tmp_path: Path) -> None:
    """The database, the course's name and the penalty are those of nbgrader_config.py; another run root has its own database."""
    here, elsewhere = Course(tmp_path, tmp_path), Course(tmp_path, tmp_path / "elsewhere")
    elsewhere.run_root.mkdir()
    (tmp_path / "nbgrader_config.py").write_text(CONFIG.format(tmp_path))
    for course, database in ((here, tmp_path / "declared.db"), (elsewhere, elsewhere.gradebook)):
        with open_gradebook(course) as writer:
            assert writer.penalty is not None
            assert writer.penalty("ada", 3.0, 60.0) == 3.0
        with Gradebook(f"sqlite:///{database}", "") as book:
            assert [found.id for found in book.db.query(NbgraderCourse)] == ["attention"]


class FakeParent:
    """A warm parent that only notes that it was closed."""

    def __init__(self, launch: Launch, made: list[FakeParent]) -> None:
        self.launch, self.closed = launch, False
        made.append(self)

    def close(self) -> None:
        """Note it."""
        self.closed = True


class FakeScored:
    """A score with one finding."""

    def __init__(self, kind: str) -> None:
        self.result = self
        self.findings = (Finding(kind, None, ""),)


def test_a_fault_of_the_sandbox_costs_nobody_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a fault a new parent is started, once for the submission and again for the next one."""
    parents: list[FakeParent] = []
    outcomes = ["grader-fault", "right", "grader-fault", "grader-fault", "right"]
    monkeypatch.setattr(sandboxed, "WarmParent", lambda launch: FakeParent(launch, parents))
    monkeypatch.setattr(sandboxed, "score", lambda *arguments: FakeScored(outcomes.pop(0)))
    anything: Any = None
    with Sandbox(Launch((), {}, "namespaces", "")) as sandbox:
        kinds = [sandbox.score(anything, anything, 1).result.findings[0].kind for _ in range(3)]
    assert kinds == ["right", "grader-fault", "right"]
    assert [parent.closed for parent in parents] == [True] * 4


def test_a_parent_that_ends_while_it_starts_is_started_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    parents: list[FakeParent] = []

    def start(launch: Launch) -> FakeParent:
        made = FakeParent(launch, parents)
        if len(parents) == 1:
            raise SandboxFault("it ended")
        return made

    monkeypatch.setattr(sandboxed, "WarmParent", start)
    monkeypatch.setattr(sandboxed, "score", lambda *arguments: FakeScored("right"))
    anything: Any = None
    with Sandbox(Launch((), {}, "namespaces", "")) as sandbox:
        assert sandbox.score(anything, anything, 1).result.findings[0].kind == "right"
    assert len(parents) == 2
