"""An exam is scored by each student's own paper, by ./course score and by nbgrader's own commands alike."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grading import cohort, demo
from grading.cli import app
from grading.cohort import find_work
from grading.course import Course, CourseError, Plan, find_course, load_plan, personal_plan
from grading.demo import hand_in, make_cohorts
from grading.notebooks import write
from grading.variant import MARK
from tests.exam_names import NAME, SECRET
from tests.tiny_course import Place

TIMES = "[exam_attention]\nopens = 2026-06-15T12:00:00Z\nminutes = 90\n[exam_attention.students.calor]\nminutes = 120\n"
COLLECTED = "student,assignment,moment\nalice,exam_attention,2026-06-15T13:00:00Z\ncarol,exam_attention,2026-06-15T13:33:00Z\n"
MISSPELT = "bop,exam_attention,2026-06-15T13:00:00Z\n"


@dataclass(frozen=True)
class Sat:
    """What is handed in: whose paper, and when it arrived."""

    paper: str
    findings: tuple[str, ...]
    points: tuple[int, int]  # at least, at most


STUDENTS = {
    "alice": Sat("alice", (), (50, 50)),
    "bob": Sat("alice", ("another-paper", "no-moment"), (20, 40)),
    "carol": Sat("carol", ("late",), (50, 50)),
    "practice": Sat("practice", ("no-moment",), (50, 50)),
}


def own(student: str) -> Plan:
    return personal_plan(load_plan(find_course(), NAME), SECRET, student)


def fill_inbox(root: Path) -> None:
    for student, sat in STUDENTS.items():
        folder = root / "submitted" / student / NAME
        folder.mkdir(parents=True)
        (folder / f"{NAME}.ipynb").write_text(write(hand_in(own(sat.paper), "")))
        (folder / "timestamp.txt").write_text("2026-06-15 12:01:00 UTC")
    (root / "exam_times.toml").write_text(TIMES)
    (root / "collected.csv").write_text(COLLECTED + MISSPELT)


def verdicts(root: Path, student: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((root / "autograded" / student / NAME / "verdicts.json").read_text())
    return found


def as_expected(root: Path, student: str) -> None:
    found, sat = verdicts(root, student), STUDENTS[student]
    assert found["status"] == "graded"
    assert sat.points[0] <= found["points"] <= sat.points[1], found["checks"]
    assert {f["kind"] for f in found["findings"]} >= set(sat.findings)
    assert found["manual_points"] == 10
    finished = (root / "autograded" / student / NAME / f"{NAME}.ipynb").read_text()
    assert set(MARK.findall(finished)) >= {own(student).mark}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory, needs_sandbox: None) -> Path:
    root = tmp_path_factory.mktemp("exam")
    fill_inbox(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohort, "course_secret", lambda course: SECRET)
        patch.setattr(cohort, "require_secret", lambda course, why: None)
        result = CliRunner().invoke(app, ["score", NAME, "--root", str(root)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "exam_times.toml has times for calor, who has handed in no exam_attention" in result.stderr
    assert "collected.csv, line 4: nobody called 'bop' has handed in exam_attention; without a line there: bob" in result.stderr
    return root


@pytest.mark.parametrize("student", STUDENTS)
def test_course_score_grades_each_by_the_own_paper(scored: Path, student: str) -> None:
    as_expected(scored, student)


def test_the_report_analyses_the_questions(scored: Path) -> None:
    page = (scored / "autograded" / "report.html").read_text()
    assert "Kuder and Richardson" in page
    assert "exam_a15" in page


def test_what_was_chosen_stands_in_the_verdicts_and_not_in_the_notebook(scored: Path) -> None:
    items = [c["item"] for c in verdicts(scored, "alice")["checks"] if "item" in c]  # type: ignore[attr-defined]
    assert len(items) == 20
    assert all(item["chosen"] for item in items)
    finished = (scored / "autograded" / "alice" / NAME / f"{NAME}.ipynb").read_text()
    assert not any(item["name"] in finished for item in items)


def test_nbgrader_autograde_grades_each_by_the_own_paper(tmp_path: Path, needs_sandbox: None) -> None:
    home = find_course().root
    shutil.copy(home / "nbgrader_config.py", tmp_path)
    for name in ("grading", "grader_tests"):
        (tmp_path / name).symlink_to(home / name)
    shutil.copytree(home / "source" / NAME, tmp_path / "source" / NAME)
    (tmp_path / ".course_secret").write_text(SECRET.hex() + "\n")
    (tmp_path / ".course_secret").chmod(0o600)
    fill_inbox(tmp_path)
    place = Place(tmp_path)
    place.nbgrader("autograde", NAME)
    for student in STUDENTS:
        as_expected(tmp_path, student)
    with place.gradebook() as book:
        assert book.find_submission(NAME, "carol").timestamp.isoformat() == "2026-06-15T13:33:00"
        assert book.find_submission(NAME, "bob").timestamp is None
        assert book.find_submission(NAME, "alice").score == 50


def test_papers_that_were_given_out_are_not_graded_by_a_new_secret(tmp_path: Path) -> None:
    """Another machine, a lost file: every paper would look like somebody else's. The practice paper needs no secret."""
    home = find_course().root
    for name in ("grading", "grader_tests", "source"):
        (tmp_path / name).symlink_to(home / name)
    place = Course(tmp_path, tmp_path)
    work = tmp_path / "submitted" / "alice" / NAME
    work.mkdir(parents=True)
    with pytest.raises(CourseError, match=r"no .course_secret in .*: the papers of exam_attention cannot be drawn again"):
        find_work(place, [], None)
    assert not (tmp_path / ".course_secret").exists(), "the next run would take it for the right one"
    shutil.rmtree(tmp_path / "submitted" / "alice")
    (tmp_path / "submitted" / "practice" / NAME).mkdir(parents=True)
    assert [w.student for w in find_work(place, [NAME], None)] == ["practice"]


def test_nbgrader_autograde_refuses_without_the_secret(tmp_path: Path, needs_sandbox: None) -> None:
    home = find_course().root
    shutil.copy(home / "nbgrader_config.py", tmp_path)
    for name in ("grading", "grader_tests", "source"):
        (tmp_path / name).symlink_to(home / name)
    fill_inbox(tmp_path)
    with pytest.raises(AssertionError, match="the papers of exam_attention cannot be drawn again"):
        Place(tmp_path).nbgrader("autograde", NAME)
    assert not (tmp_path / ".course_secret").exists()


def test_the_sample_cohort_is_made_of_each_students_own_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "course_secret", lambda course: SECRET)
    assert make_cohorts(find_course(), [load_plan(find_course(), NAME)], tmp_path) >= 12
    for path in tmp_path.glob(f"*/{NAME}/{NAME}.ipynb"):
        assert set(MARK.findall(path.read_text())) == {own(path.parent.parent.name).mark}


def test_drawing_one_paper_leaves_the_template_and_other_papers_as_they_were() -> None:
    plan = load_plan(find_course(), NAME)
    alice = personal_plan(plan, SECRET, "alice")
    before = [write(notebook) for notebook in (plan.template, alice.blueprint.notebook)]
    personal_plan(alice, SECRET, "bob")
    assert [write(notebook) for notebook in (plan.template, alice.blueprint.notebook)] == before
