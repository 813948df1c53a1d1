"""A class in which almost everybody cheats: nobody gains, nobody is harmed, nothing leaks, and the report says what was tried.

The class is scored once, by the machine that scores every class; each test looks at one student, or at what was left behind.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from grading.course import Plan, assignment_seed
from grading.notebooks import grade_id, is_machine_graded
from grading.verdict import Result
from tests.tamper.cohort import HONEST, Attack, Scored, attacks, make_feedback, score_class
from tests.tamper.notebooks import NAME
from tests.tamper.pages import active_parts, single_blanks, text_of
from tests.tamper.secrets_of_a_course import MARKER, Secrets, hidden_numbers

SECRET = secrets.token_hex(32)
# Feedback takes a second a page: made for whoever brings markup, metadata or hidden inputs into a notebook.
WITH_FEEDBACK = (
    *("leaks-", "markup-", "metadata-script", "metadata-raw", "metadata-outputs", "metadata-scores", "metadata-kernel"),
    *("metadata-odd-ids", "folder-student-of-odd-name"),
)
ALLOWED_FILES = {f"{NAME}.ipynb", "verdicts.json", "record.txt", "timestamp.txt", "submission_secret.txt"}
PAGES = [name for name in attacks() if name.startswith(WITH_FEEDBACK)]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory, parent: Any) -> Scored:
    """The class, scored."""
    return score_class(tmp_path_factory.mktemp("class"), SECRET, parent.launch, attacks())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, parent: Any) -> Scored:
    """The honest students, scored in a course of their own with the same secret."""
    return score_class(tmp_path_factory.mktemp("alone"), SECRET, parent.launch, {})


@pytest.fixture(scope="module")
def feedback(scored: Scored, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Feedback pages by student."""
    students = [HONEST[0], *(attacks()[name].student for name in PAGES)]
    return make_feedback(scored, tmp_path_factory.mktemp("feedback"), students)


@pytest.fixture(scope="module")
def report(scored: Scored) -> str:
    """What the report shows."""
    return text_of(scored.report)


@pytest.fixture(scope="module")
def hidden(scored: Scored, plan: Plan) -> Secrets:
    """What nobody may learn."""
    seed = assignment_seed(bytes.fromhex(SECRET), NAME)
    words = {SECRET: "the course's secret", MARKER: "what an attack got hold of", str(scored.root): "a path of the course"}
    words[str(Path(__file__).parents[2])] = "a path of the course"
    words["nobody may touch this"] = "the canary"
    return Secrets(words, tuple(scored.results), hidden_numbers(plan, seed))


def notebook_text(scored: Scored, student: str) -> str:
    return (scored.folder(student) / f"{NAME}.ipynb").read_text()


def shown(notebook: str) -> str:
    """Every text that the outputs of a notebook hold."""
    outputs = [output for cell in json.loads(notebook)["cells"] for output in cell.get("outputs", [])]
    return "\n".join(
        str(o.get("text", "")) + str(o.get("data", {}).get("text/plain", "")) + str(o.get("evalue", "")) for o in outputs
    )


def handed_in_by(scored: Scored, student: str) -> str:
    """The text that a student handed in, where it can be read at all."""
    path = scored.root / "course" / "submitted" / student / NAME / f"{NAME}.ipynb"
    plain = path.is_file() and not path.is_symlink() and not path.parent.is_symlink() and path.stat().st_size < 20_000_000
    text = path.read_bytes().decode("utf-8", "replace") if plain else ""
    try:
        return nbformat.from_dict(json.loads(text)) and text
    except (ValueError, RecursionError):
        return ""


def words_about(result: Result) -> str:
    findings = [f"{finding.kind} {finding.message}" for finding in result.findings]
    return "\n".join(findings + [f"{check.verdict.value} {check.message}" for check in result.checks])


@pytest.mark.parametrize("attack", attacks().values(), ids=attacks())
def test_an_attack_earns_what_is_rightly_earned_and_is_told(plan: Plan, scored: Scored, report: str, attack: Attack) -> None:
    result = scored.results[attack.student]
    said = words_about(result)
    assert {cell: result.cell_points(cell) for cell in plan.assignment.points} == attack.claim.points(plan), said
    assert result.status == ("ungraded" if attack.claim.earns == "ungraded" else "graded")
    assert {finding.kind for finding in result.findings} == attack.claim.finds, said
    for phrase in attack.claim.report:
        assert phrase in said
        assert single_blanks(phrase) in report
    for finding in result.findings:
        assert single_blanks(printable(finding.message)) in report
    outputs = shown(notebook_text(scored, attack.student))
    assert [phrase for phrase in attack.claim.shows if phrase not in outputs] == [], "the attack did not run as it was meant to"


def printable(text: str) -> str:
    """Text as the report prints it: what no page can hold is a mark."""
    return "".join(
        "\ufffd" if (ord(c) < 32 and c not in "\t\n\r") or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 else c for c in text
    )


@pytest.mark.parametrize("attack", attacks().values(), ids=attacks())
def test_an_attack_learns_nothing(scored: Scored, hidden: Secrets, attack: Attack) -> None:
    handed_in = handed_in_by(scored, attack.student)
    for name in (f"{NAME}.ipynb", "verdicts.json"):
        text = (scored.folder(attack.student) / name).read_text()
        assert hidden.found_in(text, attack.student, handed_in) == [], name
    assert str(scored.results[attack.student].seed) not in notebook_text(scored, attack.student)


@pytest.mark.parametrize("attack", attacks().values(), ids=attacks())
def test_the_gradebook_and_the_notebook_hold_the_points_of_the_verdicts(plan: Plan, scored: Scored, attack: Attack) -> None:
    result = scored.results[attack.student]
    notebook = nbformat.reads(notebook_text(scored, attack.student), as_version=4)
    for cell in filter(is_machine_graded, notebook.cells):
        points = result.cell_points(grade_id(cell) or "")
        values = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
        assert values == ([] if points is None else [repr(points)])
    loose = [o for cell in notebook.cells if cell.cell_type == "code" and not is_machine_graded(cell) for o in cell.outputs]
    assert {kind for o in loose for kind in o.get("data", {})} <= {"text/plain"}
    assert all(output.output_type != "execute_result" for output in loose)


def test_the_gradebook_agrees_with_every_verdict(plan: Plan, scored: Scored) -> None:
    with Gradebook(f"sqlite:///{scored.root}/course/gradebook.db", "attention") as book:
        stored = {
            submission.student_id: {grade.name: grade.auto_score for grade in submission.notebooks[0].grades}
            for submission in book.assignment_submissions(NAME)
        }
    students = {student.encode("utf-8", "backslashreplace").decode(): result for student, result in scored.results.items()}
    assert stored.keys() == students.keys()
    for student, result in students.items():
        assert {cell: stored[student][cell] for cell in plan.assignment.points} == {
            cell: result.cell_points(cell) for cell in plan.assignment.points
        }


@pytest.mark.parametrize("student", HONEST)
def test_an_honest_student_gets_what_they_get_without_attackers(scored: Scored, alone: Scored, student: str) -> None:
    assert (scored.results[student].status, scored.results[student].points) == ("graded", 20.0)
    assert scored.results[student].findings == ()
    here, there = (sorted(path.name for path in one.folder(student).iterdir()) for one in (scored, alone))
    assert here == there == [f"{NAME}.ipynb", "verdicts.json"]
    assert notebook_text(scored, student) == notebook_text(alone, student)
    first, second = (json.loads((one.folder(student) / "verdicts.json").read_text()) for one in (scored, alone))
    assert first | {"seconds": 0} == second | {"seconds": 0}


def test_every_submission_has_a_result_and_nobody_else(scored: Scored) -> None:
    assert set(scored.results) == {*HONEST, *(attack.student for attack in attacks().values())}
    assert all(student in text_of(scored.report) for student in HONEST)


def test_nothing_was_written_but_results(scored: Scored) -> None:
    changed = {path for path in scored.before.keys() | scored.after.keys() if scored.before.get(path) != scored.after.get(path)}
    assert changed == set()
    autograded = scored.root / "course" / "autograded"
    entries = [path for path in autograded.rglob("*") if not path.is_dir() or path.is_symlink()]
    assert [path for path in entries if path.is_symlink() or not path.is_file()] == []
    assert {path.name for path in entries} <= ALLOWED_FILES | {"report.html"}
    assert not list(autograded.rglob(".*")), "a half-written folder was left"


def test_no_process_was_left_and_no_door_was_reached(scored: Scored) -> None:
    assert scored.left_running == ()
    assert scored.reached == ()


def test_the_report_runs_nothing_and_tells_no_secret(scored: Scored, alone: Scored, hidden: Secrets) -> None:
    assert active_parts(scored.report).keys() <= active_parts(alone.report).keys()
    assert not any(part.startswith("<script") for part in active_parts(scored.report))
    assert [told for word, told in hidden.words.items() if word in scored.report] == []
    assert str(next(iter(scored.results.values())).seed) not in scored.report


@pytest.mark.parametrize("name", PAGES)
def test_feedback_runs_nothing_and_tells_nothing(scored: Scored, feedback: Mapping[str, str], hidden: Secrets, name: str) -> None:
    student = attacks()[name].student
    page = feedback[student]
    more: Counter[str] = active_parts(page) - active_parts(feedback[HONEST[0]])
    assert not more
    assert hidden.found_in(page, student, handed_in_by(scored, student)) == []
    assert str(scored.results[student].seed) not in page
