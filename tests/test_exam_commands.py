"""./course paper, papers and whose: the same paper for a name every time, a notebook and a page for every student."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import grading.paper_cli  # adds the commands
from grading import course as course_module
from grading import papers
from grading.build import release_notebook
from grading.cli import app
from grading.course import find_course, load_plan, personal_plan
from grading.notebooks import write
from grading.printing import printed
from grading.variant import PRACTICE
from tests.exam_names import NAME, SECRET


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (papers, grading.paper_cli):
        monkeypatch.setattr(module, "course_secret", lambda course: SECRET)
    monkeypatch.setattr(papers, "require_secret", lambda course, why: None)
    monkeypatch.setattr(grading.paper_cli, "has_secret", lambda course: True)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_paper_prints_what_the_student_reads_and_the_key_on_demand() -> None:
    plan = personal_plan(load_plan(find_course(), NAME), SECRET, "alice")
    shown = run("paper", "alice").output
    assert plan.mark in shown
    assert "## A15" in shown
    key = run("paper", "alice", "--key").output
    assert key.startswith(f"# Key to the paper of alice ({plan.mark})")
    assert not re.search(r"\d\.\d{7}", key), "numbers are rounded for people"
    assert all(reason not in shown for reason in key.splitlines() if reason.startswith("- A: "))
    assert run("paper", "alice").output == shown
    assert run("paper", "alice", "--assignment", NAME).output == shown


def test_an_assignment_that_is_the_same_for_all_has_no_papers() -> None:
    result = run("paper", "alice", "--assignment", "m1_attention")
    assert (result.exit_code, "is the same for all students" in result.output) == (2, True)


def test_papers_writes_a_notebook_and_a_page_for_each_student_of_a_roster(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("name,student_id\nA. Smith,alice\nB. Jones,bob\nB. Jones,bob\n\n")
    result = run("papers", "--roster", tmp_path / "roster.csv", "--out", tmp_path / "out")
    assert (result.exit_code, result.output) == (0, "alice\nbob\n")
    written = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert written == [f"{s}/{NAME}{rest}" for s in ("alice", "bob") for rest in (".html", f"/{NAME}.ipynb")]
    plan = personal_plan(load_plan(find_course(), NAME), SECRET, "bob")
    assert (tmp_path / "out" / "bob" / NAME / f"{NAME}.ipynb").read_text() == write(release_notebook(plan.blueprint.notebook))
    page = (tmp_path / "out" / "bob" / f"{NAME}.html").read_text()
    assert plan.mark in page
    assert page.count('class="room"') == 15
    assert page.count('class="room page"') == 2
    assert "data:image/png;base64," in page
    assert not any(word in page for word in ("<script", "http://", "https://", "BEGIN SOLUTION", "grader_tests"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "names no student"),
        ("../eve\n", "names a student '../eve'"),
        (".hidden\n", "names a student '.hidden'"),
        ("a,b\nc,d\n", "has several columns"),
        ("alice;Smith\nbob;Jones\n", "has several columns"),
        ("al\x01ice\n", "names a student 'al\\x01ice'"),
        ("x" * 300 + "\n", "too long for a folder's name"),
    ],
)
def test_a_roster_that_cannot_be_used_is_told_and_nothing_written(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "roster.csv").write_text(text)
    result = run("papers", "--roster", tmp_path / "roster.csv", "--out", tmp_path / "out")
    assert (result.exit_code, told in result.output) == (2, True), result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "students"),
    [
        ("student_id;name\nalice;Smith, A\nbob;Jones\n", "alice bob"),
        ("name\tUsername\nA Smith\talice\n", "alice"),
        ("Email,Student ID\na@b,alice\n\n,\n", "alice"),
        ("Student_ID\nalice\n alice \nbob", "alice bob"),
        ('alice\n\n"Smith, John"\n', "Smith, John alice"),
        ("\ufeffE\u0301va\n\u00c9va\n", "\u00c9va"),
    ],
)
def test_rosters_as_people_and_spreadsheets_write_them(tmp_path: Path, text: str, students: str) -> None:
    (tmp_path / "roster.csv").write_text(text, encoding="utf-8")
    assert " ".join(papers.read_roster(tmp_path / "roster.csv")) == students


def test_a_name_with_times_of_its_own_that_is_on_no_roster_is_told(tmp_path: Path) -> None:
    (tmp_path / "roster").write_text("alice\n")
    times = "[exam_attention]\nopens = 2026-06-15T12:00:00Z\nminutes = 90\n[exam_attention.students]\n"
    (tmp_path / "exam_times.toml").write_text(times + "alice = {minutes = 120}\nalcie = {minutes = 120}\n")
    result = run("papers", "--roster", tmp_path / "roster", "--out", tmp_path / "out", "--root", tmp_path)
    assert (result.exit_code, result.stdout) == (0, "alice\n")
    assert result.stderr == "course: exam_times.toml has times for alcie, who is not on the roster\n"


def test_a_roster_in_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_bytes("student_id\nalice\n".encode("utf-16"))
    result = run("papers", "--roster", tmp_path / "roster.csv", "--out", tmp_path / "out")
    assert (result.exit_code, "is no text in UTF-8" in result.output) == (2, True), result.output


@pytest.mark.parametrize("name", ["", "  ", "../x", ".hidden"])
def test_no_paper_is_printed_for_a_name_that_nobody_can_hand_in_under(name: str) -> None:
    assert run("paper", name).exit_code == 2


def test_blanks_around_a_name_are_not_part_of_it() -> None:
    assert run("paper", " alice ").output == run("paper", "alice").output


def test_nbgraders_students_are_the_default_roster(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    result = run("papers", "--out", tmp_path / "out", "--root", root)
    assert (result.exit_code, "names no student" in result.output) == (2, True)
    with papers.open_gradebook(find_course(root)) as book:
        book._gradebook.add_student("carol")
    result = run("papers", "--out", tmp_path / "out", "--root", root)
    assert (result.exit_code, result.output) == (0, "carol\n")


def test_a_code_is_traced_to_its_student(tmp_path: Path) -> None:
    (tmp_path / "roster").write_text("alice\nbob\n")
    mark = personal_plan(load_plan(find_course(), NAME), SECRET, "bob").mark
    assert run("whose", mark, "--roster", tmp_path / "roster").output == "bob\n"
    assert run("whose", f" {mark.upper()} ", "--roster", tmp_path / "roster").output == "bob\n"
    practice = personal_plan(load_plan(find_course(), NAME), SECRET, PRACTICE).mark
    assert run("whose", practice, "--roster", tmp_path / "roster").output == "practice\n"
    assert run("whose", "paper-aaaaaaaaaaaa", "--roster", tmp_path / "roster").exit_code == 1
    result = run("whose", "bob", "--roster", tmp_path / "roster")
    assert (result.exit_code, "'bob' is no paper's code" in result.output) == (2, True)


def test_without_a_secret_no_paper_is_traced_and_new_papers_are_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "roster").write_text("alice\n")
    monkeypatch.setattr(grading.paper_cli, "has_secret", lambda course: False)
    monkeypatch.setattr(papers, "require_secret", course_module.require_secret)
    monkeypatch.setattr(course_module, "has_secret", lambda course: False)
    result = run("whose", "paper-aaaaaaaaaaaa", "--roster", tmp_path / "roster")
    assert (result.exit_code, "there is no .course_secret" in result.output) == (2, True)
    for told in (run("paper", "alice"), run("papers", "--roster", tmp_path / "roster", "--out", tmp_path / "out")):
        assert "by a new .course_secret; keep it" in told.stderr


def test_the_released_paper_is_the_practice_paper() -> None:
    released = json.loads((find_course().release / NAME / f"{NAME}.ipynb").read_text())
    mark = personal_plan(load_plan(find_course(), NAME), b"any secret", PRACTICE).mark
    assert mark in "".join("".join(cell["source"]) for cell in released["cells"])


def test_what_a_name_holds_cannot_become_markup_of_the_page() -> None:
    plan = personal_plan(load_plan(find_course(), NAME), SECRET, "<script>alert(1)</script>")
    page = printed(release_notebook(plan.blueprint.notebook), "<b>", {})
    assert "<script" not in page
    assert "<title>&lt;b&gt;</title>" in page
