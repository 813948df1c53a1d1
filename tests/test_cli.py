"""The commands, as an instructor and a script use them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from grading import bridge, doctor, sandboxed
from grading.cli import app
from grading.course import find_course, load_plan
from grading.demo import make_cohorts
from grading.notebooks import write
from grading.sandbox import launch
from tests.zoo_answers import ZOO, read_zoo

HOME = find_course().root
NAME = "m1_attention"
KEYS = {"student", "assignment", "status", "points", "max_points", "manual_points", "seed", "findings", "checks", "seconds"}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def hand_in(root: Path, student: str, content: bytes, name: str = NAME) -> None:
    folder = root / "submitted" / student / name
    folder.mkdir(parents=True)
    (folder / f"{name}.ipynb").write_bytes(content)


@pytest.fixture(scope="module")
def solved() -> bytes:
    return (find_course().source / NAME / f"{NAME}.ipynb").read_bytes()


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory, solved: bytes, needs_sandbox: None) -> tuple[Path, Result]:
    root = tmp_path_factory.mktemp("course")
    hand_in(root, "zoe", solved)
    hand_in(root, "ann", b"no notebook")
    hand_in(root, "bob", write(load_plan(find_course(), NAME).blueprint.released).encode())
    return root, run("score", "--root", root, "--seed", "7", "--json")


def verdicts_path(root: Path, student: str, name: str = NAME) -> Path:
    return root / "autograded" / student / name / "verdicts.json"


def verdicts(root: Path, student: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(verdicts_path(root, student).read_text())
    return found


def test_score_writes_verdicts_with_the_agreed_keys(scored: tuple[Path, Result]) -> None:
    root, _ = scored
    found = verdicts(root, "zoe")
    assert set(found) >= KEYS
    assert (found["student"], found["assignment"], found["status"]) == ("zoe", NAME, "graded")
    assert (found["points"], found["max_points"], found["manual_points"], found["seed"]) == (20.0, 20.0, 0.0, 7)
    checks = found["checks"]
    assert isinstance(checks, list)
    assert all(set(check) == {"check", "cell", "points", "max_points", "verdict", "message"} for check in checks)


def test_score_gives_every_submission_a_status_and_ends_well_though_one_is_ungraded(scored: tuple[Path, Result]) -> None:
    root, result = scored
    assert result.exit_code == 0
    assert verdicts(root, "ann")["status"] == "ungraded"
    assert verdicts(root, "bob")["points"] == 0.0
    assert verdicts(root, "bob")["status"] == "graded"


def test_score_json_prints_one_object_a_submission_and_nothing_else(scored: tuple[Path, Result]) -> None:
    lines = [json.loads(line) for line in scored[1].stdout.splitlines()]
    assert sorted(line["student"] for line in lines) == ["ann", "bob", "zoe"]
    assert {line["student"]: line["points"] for line in lines if line["status"] == "graded"} == {"bob": 0.0, "zoe": 20.0}


def test_score_lists_ungraded_last_with_what_to_do(scored: tuple[Path, Result]) -> None:
    result = run("score", NAME, "--root", scored[0])
    table = result.stdout[result.stdout.index("student") :]
    assert table.index("zoe") < table.index("ungraded: ann")
    assert "ask for another copy" in result.stdout
    assert (scored[0] / "autograded" / "report.html").read_text().count("zoe") >= 1


def test_the_report_is_of_all_that_stands_whatever_was_scored_last(scored: tuple[Path, Result], tmp_path: Path) -> None:
    root = shutil.copytree(scored[0], tmp_path / "course")
    hand_in(root, "dan", b"no notebook", "m4_masking")
    result = run("score", "m4_masking", "--root", root, "--seed", "7")
    assert "zoe" not in result.stdout
    text = (root / "autograded" / "report.html").read_text()
    assert all(told in text for told in ("dan", "zoe", "ann", "bob", NAME, "m4_masking", "The last run scored 1 submission in"))
    verdicts_path(root, "zoe").write_text("{")
    damaged = run("score", "m4_masking", "--root", root, "--seed", "7")
    assert f"not in the report, for it cannot be read: {verdicts_path(root, 'zoe')}" in damaged.stderr
    assert "bob" in (root / "autograded" / "report.html").read_text()


def test_score_of_an_empty_inbox_says_so(tmp_path: Path) -> None:
    result = run("score", "--root", tmp_path)
    assert result.exit_code == 0
    assert "nothing to score" in result.stdout


def test_score_of_an_unknown_assignment_is_unusable_and_names_the_known_ones(tmp_path: Path) -> None:
    result = run("score", "m9_nothing", "--root", tmp_path)
    assert result.exit_code == 2
    assert "m9_nothing" in result.stderr
    assert NAME in result.stderr


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sandboxed, doctor, bridge):
        monkeypatch.setattr(module, "choose_launch", launch.bare_launch)


@pytest.mark.usefixtures("without_sandbox")
def test_score_refuses_without_a_sandbox_unless_students_are_trusted(tmp_path: Path, solved: bytes) -> None:
    hand_in(tmp_path, "zoe", solved)
    refused = run("score", "--root", tmp_path)
    assert refused.exit_code == 2
    assert "--trust-students" in refused.stderr
    assert not (tmp_path / "autograded").exists()
    trusted = run("score", "--root", tmp_path, "--trust-students", "--workers", 0)
    assert trusted.exit_code == 0
    assert verdicts(tmp_path, "zoe")["points"] == 20.0
    assert "unsandboxed" in str(verdicts(tmp_path, "zoe")["sandbox"])
    assert "unsandboxed" in (tmp_path / "autograded" / "report.html").read_text()


def answer(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_try_scores_files_in_the_sandbox_as_it_does_locally(tmp_path: Path, needs_sandbox: None) -> None:
    wrong = answer(tmp_path, "wrong.py", "def hard_lookup(query, keys, values):\n    return values[-1]\n")
    right = answer(
        tmp_path, "right.py", "import torch as t\ndef weighted_value(w, V, i):\n    return t.einsum('j,jv->v', w[i], V)\n"
    )
    for extra in ([], ["--local"]):
        result = run("try", NAME, wrong, right, "--json", "--seed", 3, *extra)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        assert [line["file"] for line in lines] == [str(wrong), str(right)]
        assert [line["points"] for line in lines] == [18.0, 20.0]
        assert all("student" not in line and set(line) >= KEYS - {"student"} for line in lines)


def test_try_says_in_words_which_checks_failed(tmp_path: Path) -> None:
    wrong = answer(tmp_path, "wrong.py", "CLAIMS = {}\n")
    result = run("try", NAME, wrong, "--local")
    assert result.exit_code == 0
    assert "19/20" in result.stdout
    assert "claims_all" in result.stdout


def test_try_of_a_file_that_is_no_python_is_ungraded_and_the_others_are_scored(tmp_path: Path) -> None:
    broken = answer(tmp_path, "broken.py", "def attention(:\n")
    empty = answer(tmp_path, "empty.py", "")
    result = run("try", NAME, broken, empty, "--json", "--local")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["status"] for line in lines] == ["ungraded", "graded"]
    assert "no Python" in lines[0]["findings"][-1]["message"]
    assert lines[1]["points"] == 20.0


@pytest.mark.parametrize("arguments", [("m9_nothing", __file__), (NAME, "nowhere.py"), (NAME, str(HOME))])
def test_try_refuses_unusable_arguments(arguments: tuple[str, str]) -> None:
    result = run("try", *arguments, "--local")
    assert result.exit_code == 2
    assert result.stderr.startswith("course: ")


FIRST_COHORT = {
    "ada-plain": 20,
    "bela-loops": 20,
    "chen-chatty": 20,
    "dora-empty": 0,
    "emre-no-scale": 15,
    "fay-softmax-over-queries": 14,
    "gita-no-tanh": 16,
    "hugo-two-axes": 17,
    "ines-roles-swapped": 18,
    "jun-last-of-equals": 19,
    "kofi-loops-for-ever": 18,
    "lena-dies": 19,
    "mai-duplicated-cell": 20,
    "nils-deleted-cells": 19,
    "olga-not-json": 0,
    "pia-patches-allclose": 0,
}


def cohort_points(name: str) -> dict[str, float | None]:
    """What an assignment's sample cohort must get: the zoo's points; None where a student is no answer of the zoo."""
    plan = load_plan(find_course(), name)
    answers = {answer.path.name: sum(answer.expected(plan).values()) for answer in read_zoo(name)}
    students = tomllib.loads((ZOO / name / "cohort.toml").read_text())["students"]
    return {student: answers.get(made_of.get("answer")) for student, made_of in students.items()}


def test_demo_gives_every_sample_cohort_its_points(tmp_path: Path, needs_sandbox: None) -> None:
    result = run("demo", "--root", tmp_path)
    assert result.exit_code == 0, result.output
    for name in find_course().assignments():
        expected = cohort_points(name)
        found = {student: json.loads(verdicts_path(tmp_path, student, name).read_text()) for student in expected}
        points = {student: found[student]["points"] for student in expected}
        assert points == FIRST_COHORT if name == NAME else points == points | {s: p for s, p in expected.items() if p is not None}
        assert [s for s in found if found[s]["status"] == "ungraded"] == [s for s in found if s.endswith("not-json")]
    assert "report:" in result.stdout
    assert "sandbox: bubblewrap" in result.stdout
    page = (tmp_path / "autograded" / "report.html").read_text()
    assert all(student in page for student in FIRST_COHORT)


def test_the_sample_cohort_warns_on_stderr_and_loses_nothing(tmp_path: Path, needs_sandbox: None) -> None:
    course = find_course(tmp_path)
    make_cohorts(course, [load_plan(course, NAME)], course.submitted)
    for student in course.submitted.iterdir():
        if student.name != "chen-chatty":
            shutil.rmtree(student)
    assert run("score", "--root", tmp_path).exit_code == 0
    assert verdicts(tmp_path, "chen-chatty")["points"] == 20.0
    notebook = json.loads((tmp_path / "autograded" / "chen-chatty" / NAME / f"{NAME}.ipynb").read_text())
    streams = [o["name"] for cell in notebook["cells"] for o in cell.get("outputs", []) if o["output_type"] == "stream"]
    assert "stderr" in streams


def test_doctor_names_what_is_there(needs_sandbox: None) -> None:
    result = run("doctor")
    assert "bubblewrap" in result.stdout
    assert "user namespaces" in result.stdout


@pytest.mark.usefixtures("without_sandbox")
def test_doctor_says_what_to_do_where_no_sandbox_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "probe", lambda: ())
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    result = run("doctor")
    assert result.exit_code == 1
    assert "apt-get install bubblewrap" in " ".join(result.stdout.split())


def test_the_launcher_works_from_any_folder_and_is_not_misled_by_files_there(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('a file of this folder was imported')\n")
    right = answer(tmp_path, "right.py", "")
    command = [str(HOME / "course"), "try", NAME, right.name, "--local", "--json"]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["points"] == 20.0


def test_the_launcher_is_plain_shell() -> None:
    subprocess.run(["sh", "-n", str(HOME / "course")], check=True)


def test_scoring_twice_says_the_same(tmp_path: Path, solved: bytes, needs_sandbox: None) -> None:
    hand_in(tmp_path, "zoe", solved)
    first = run("score", "--root", tmp_path, "--seed", 11, "--json").stdout
    second = run("score", "--root", tmp_path, "--seed", 11, "--json").stdout
    drop_seconds = [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in (first, second)]
    assert drop_seconds[0] == drop_seconds[1]


def test_what_is_no_submission_is_named_and_the_others_are_scored(tmp_path: Path, solved: bytes, needs_sandbox: None) -> None:
    hand_in(tmp_path, "zoe", solved)
    (tmp_path / "submitted" / "ann" / "m1-attention").mkdir(parents=True)
    (tmp_path / "submitted" / "loose.ipynb").write_bytes(solved)
    result = run("score", "--root", tmp_path)
    assert result.exit_code == 0
    assert verdicts(tmp_path, "zoe")["points"] == 20.0
    for name in ("ann/m1-attention", "loose.ipynb"):
        assert f"not looked at, for it is no submission of an assignment here: {name}" in result.stderr


def test_a_folder_that_cannot_be_written_is_found_and_costs_no_one_else_anything(
    tmp_path: Path, solved: bytes, needs_sandbox: None
) -> None:
    hand_in(tmp_path, "ann", solved)
    hand_in(tmp_path, "zoe", solved)
    (tmp_path / "autograded").mkdir()
    (tmp_path / "autograded" / "ann").write_text("a file in the way")
    result = run("score", "--root", tmp_path, "--json")
    assert result.exit_code == 0
    found = {line["student"]: line for line in map(json.loads, result.stdout.splitlines())}
    assert (found["ann"]["points"], found["zoe"]["points"]) == (20.0, 20.0)
    assert [finding["kind"] for finding in found["ann"]["findings"]] == ["not-written"]
    assert found["zoe"]["findings"] == []


@pytest.mark.parametrize("place", ["nowhere", "file"])
def test_a_root_that_is_no_folder_is_unusable(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    result = run("score", "--root", tmp_path / place)
    assert result.exit_code == 2
    assert result.stderr.startswith("course: ")


def test_try_of_a_file_that_is_no_text_is_ungraded_and_the_others_are_scored(tmp_path: Path) -> None:
    binary, empty = tmp_path / "binary.py", answer(tmp_path, "empty.py", "")
    binary.write_bytes(b"x = 1\n\xff\xfe\x00")
    lines = [json.loads(line) for line in run("try", NAME, binary, empty, "--json", "--local").stdout.splitlines()]
    assert [line["status"] for line in lines] == ["ungraded", "graded"]


def test_the_launcher_is_found_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "grade"
    link.symlink_to(HOME / "course")
    done = subprocess.run([str(link), "try", "m9_nothing", __file__], capture_output=True, text=True, timeout=300)
    assert (done.returncode, "m9_nothing" in done.stderr) == (2, True)
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    "command", ["try m1_attention tests/zoo/m1_attention/right_plain_matmul.py --local", "paper practice", "--help"]
)
def test_a_reader_that_has_seen_enough_is_no_error(command: str) -> None:
    root = find_course().root
    line = f"PYTHONPATH='{root}' '{sys.executable}' -P -m grading {command} | true"
    told = subprocess.run(["bash", "-c", line], cwd=root, capture_output=True, text=True)
    assert (told.stdout, told.stderr) == ("", "")
