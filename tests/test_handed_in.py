"""Given and handed-in files: where a notebook finds them, what never replaces them, and where they are parsed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grading.checks import Assignment, check
from grading.course import Plan, find_course, load_plan, solved_files
from grading.limits import Limits
from grading.runners import LocalRunner, Runner, SandboxRunner, open_apart
from grading.sandbox.session import CellToRun
from grading.score import files_beside, score
from grading.student import HandedIn, Student, StudentDied, StudentFileMissing, StudentTimeout
from grading.submission import Submission, collect
from grading.trial import as_submission
from grading.verdict import Result
from tests.zoo_files import files_beside as words_to_files

GIVEN = {"given_module.py": b"VALUE = 6050\n", "table.json": b"[1, 2]"}
LIMITS = replace(Limits(), check_cpu_s=1.0, check_wall_s=2.0, grace_s=0.3)
NAME = "m5_date_rematch"


@pytest.fixture(params=["in this process", "in the sandbox"])
def runner(request: pytest.FixtureRequest) -> Runner:
    return LocalRunner() if request.param == "in this process" else request.getfixturevalue("sandbox")


def printed(runner: Runner, text: str, files: dict[str, bytes]) -> str:
    """What a cell prints with these files beside it."""
    with runner.open([CellToRun("<cell 0>", text)], files, LIMITS) as stay:
        stay.run_cells()
        run = stay.runs["<cell 0>"]
    assert run.error is None, run.error
    return b"".join(bytes(item["data"]) for item in run.outputs).decode()


def test_a_notebook_imports_and_reads_what_lies_beside_it(runner: Runner) -> None:
    text = "import given_module, pathlib\nprint(given_module.VALUE, pathlib.Path('table.json').read_text())"
    assert printed(runner, text, GIVEN) == "6050 [1, 2]\n"


def test_two_notebooks_see_their_own_module_of_one_name(runner: Runner) -> None:
    text = "import given_module\nprint(given_module.VALUE)"
    assert [printed(runner, text, {"given_module.py": f"VALUE = {n}".encode()}) for n in (1, 2)] == ["1\n", "2\n"]


def test_a_notebook_is_told_that_nobody_waits_for_it(runner: Runner) -> None:
    assert printed(runner, "import os\nprint(os.environ['COURSE_QUICK_RUN'])", {}) == "1\n"


def test_a_run_in_this_process_leaves_folder_path_modules_and_variables_as_they_were() -> None:
    before = (os.getcwd(), list(sys.path), "COURSE_QUICK_RUN" in os.environ)
    text = "import given_module, os, pathlib\npathlib.Path('written.txt').write_text('x')\nprint(os.getcwd())"
    folder = printed(LocalRunner(), text, GIVEN).strip()
    assert (os.getcwd(), list(sys.path), "COURSE_QUICK_RUN" in os.environ) == before
    assert "given_module" not in sys.modules
    assert not Path(folder).exists()
    assert not Path("written.txt").exists()


def test_a_copy_of_a_given_file_that_was_handed_in_replaces_nothing(runner: Runner, tmp_path: Path) -> None:
    plan = load_plan(find_course(), NAME)
    (tmp_path / f"{NAME}.ipynb").write_text("{}")
    (tmp_path / "date_task.py").write_text("raise SystemExit")
    submission = collect("mallory", tmp_path, plan.assignment)
    assert "date_task.py" not in submission.files
    assert any("date_task.py" in finding.message for finding in submission.findings)
    # Even an assignment that listed one name twice would run its own.
    greedy = replace(submission, files={"date_task.py": b"raise SystemExit"})
    text = "import date_task\nprint(date_task.SEED)"
    assert printed(runner, text, dict(files_beside(greedy, plan))) == "6050\n"


def test_what_a_notebook_writes_over_a_given_file_is_gone_for_the_next(runner: Runner) -> None:
    spoil = (
        "import pathlib\npathlib.Path('given_module.py').write_text('VALUE = 0')\nimport given_module\nprint(given_module.VALUE)"
    )
    assert printed(runner, spoil, GIVEN) == "0\n"
    assert printed(runner, "import given_module\nprint(given_module.VALUE)", GIVEN) == "6050\n"


# Apart.


def student(runner: Runner, files: dict[str, bytes] | None = None) -> Student:
    with runner.open([], {}, LIMITS) as stay:
        return Student(stay, "", {}, handed_in=HandedIn(files or {}, lambda source: open_apart(runner, LIMITS, stay, source)))


def test_a_text_apart_sees_nothing_of_the_notebook_and_no_file(runner: Runner) -> None:
    cells = [CellToRun("<cell 0>", "import pathlib\nsecret = 1\npathlib.Path('secret.txt').write_text('x')")]
    with runner.open(cells, GIVEN, LIMITS) as stay:
        stay.run_cells()
        asked = Student(stay, "", {}, handed_in=HandedIn({}, lambda source: open_apart(runner, LIMITS, stay, source)))
        with asked.apart("import os\ndef names():\n    return 'secret' in globals(), 'secret.txt' in os.listdir('.')") as other:
            assert other.names() == (False, False)


def test_a_missing_file_is_told_of() -> None:
    with pytest.raises(StudentFileMissing, match="notes"):
        student(LocalRunner()).file("notes.csv")
    assert student(LocalRunner(), {"notes.csv": b"a"}).file("notes.csv") == b"a"


@pytest.mark.parametrize(
    ("body", "fault"), [("while True: pass", StudentTimeout), ("import os; os._exit(3)", StudentDied)], ids=["loops", "dies"]
)
def test_a_parser_that_is_driven_mad_costs_its_question_alone(sandbox: SandboxRunner, body: str, fault: type[Exception]) -> None:
    asked = student(sandbox)
    with asked.apart(f"def parse():\n    {body}") as other, pytest.raises(fault):
        other.parse()
    with asked.apart("def parse():\n    return 1") as other:
        assert other.parse() == 1


def test_what_a_check_finds_out_stands_among_the_findings_once(runner: Runner) -> None:
    def question(student: Student, generator: object) -> None:
        student.findings.append("notes.csv is no table.")

    checks = [check(name, cell="c", points=1, uses=(), about="x")(question) for name in ("one", "two")]
    plan = load_plan(find_course(), NAME)
    mine = Plan(Assignment(NAME, {"c": 2}, checks=tuple(checks)), plan.blueprint)
    result = score(
        Submission("x", NAME, b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'), mine, runner, 1
    ).result
    assert [f.message for f in result.findings if f.kind == "handed-in-file"] == ["notes.csv is no table."]


# rematch.pt as it comes from a folder.


def judged(runner: Runner, folder: Path, content: bytes | None) -> Result:
    plan = load_plan(find_course(), NAME)
    (folder / f"{NAME}.ipynb").write_bytes(as_submission(plan, "x", "").content or b"")
    if content is not None:
        (folder / "rematch.pt").write_bytes(content)
    asked = [c for c in plan.assignment.checks if c.cell in ("rematch_weights", "m5_claims")]
    quick = replace(plan, assignment=replace(plan.assignment, checks=tuple(asked)))
    return score(collect("x", folder, quick.assignment), quick, runner, 1).result


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "No such file"),
        (b"x" * 4_000_001, "4000000 are allowed"),
        (b"no zip at all", "no file of weights"),
        (b"", "no file of weights"),
    ],
    ids=["missing", "too large", "foreign", "empty"],
)
def test_a_file_that_is_wrong_costs_its_own_points_and_is_a_finding(
    sandbox: SandboxRunner, tmp_path: Path, content: bytes | None, told: str
) -> None:
    result = judged(sandbox, tmp_path, content)
    assert (result.cell_points("rematch_weights"), result.cell_points("m5_claims")) == (0.0, 1.0)
    assert result.status == "graded"
    assert any(f.kind == "handed-in-file" and told in f.message for f in result.findings)
    assert all("rematch.pt" in c.message for c in result.checks if c.cell == "rematch_weights")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("a whole module", "no file of weights"),
        ("code", "no file of weights"),
        ("half a file", "no file of weights"),
        ("a list", "something else than a state dict"),
        ("a checkpoint", "other names"),
        ("smaller weights", "other shapes"),
    ],
)
def test_a_file_of_something_else_is_told_what_it_is(sandbox: SandboxRunner, tmp_path: Path, said: str, told: str) -> None:
    solved = solved_files(find_course(), load_plan(find_course(), NAME).assignment)
    result = judged(sandbox, tmp_path, words_to_files(said, solved)["rematch.pt"])
    assert result.cell_points("rematch_weights") == 0.0
    assert [told in f.message for f in result.findings if f.kind == "handed-in-file"] == [True]


def test_a_link_is_not_followed(sandbox: SandboxRunner, tmp_path: Path) -> None:
    (tmp_path / "rematch.pt").symlink_to(find_course().solutions / NAME / "rematch.pt")
    assert judged(sandbox, tmp_path, None).cell_points("rematch_weights") == 0.0


def test_the_solved_file_earns_its_points_in_the_sandbox(sandbox: SandboxRunner, tmp_path: Path) -> None:
    files = solved_files(find_course(), load_plan(find_course(), NAME).assignment)
    assert judged(sandbox, tmp_path, files["rematch.pt"]).cell_points("rematch_weights") == 2.0
