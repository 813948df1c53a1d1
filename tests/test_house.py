"""The house rules that a machine can see: format, lint, types, imports, sizes, generated files up to date, notebooks clean."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import grader_tests
from grading.build import release_notebook
from grading.checks import Check
from grading.course import find_course, load_plan
from grading.notebooks import write
from grading.source_faults import source_faults

HOME = find_course().root
ASSIGNMENTS = find_course().assignments()
MODULES = sorted([*HOME.glob("grading/**/*.py"), *HOME.glob("grader_tests/**/*.py")])


def tool(*command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=HOME, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [("ruff", "check", "--no-cache", "."), ("ruff", "format", "--no-cache", "--check", ".")])
def test_ruff_has_nothing_to_say(command: tuple[str, ...]) -> None:
    tool(*command)


def test_mypy_strict_has_nothing_to_say() -> None:
    tool("mypy", "--no-error-summary", "--cache-dir=/dev/null")


def test_imports_keep_to_the_contracts() -> None:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", command, "--no-cache"], cwd=HOME, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(HOME)) for p in MODULES])
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") < 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert (node.end_lineno or 0) - node.lineno < 40, node.name


def test_every_check_that_is_written_is_asked() -> None:
    asked = {id(check) for name in ASSIGNMENTS for check in load_plan(find_course(), name).assignment.checks}
    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(grader_tests.__path__, "grader_tests.")]
    written = {id(value): name for module in modules for name, value in vars(module).items() if isinstance(value, Check)}
    assert [name for identity, name in written.items() if identity not in asked] == []


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_source_is_without_fault_and_the_release_is_what_it_gives(name: str) -> None:
    course = find_course()
    plan = load_plan(course, name)
    assert list(source_faults(plan, course.source / name)) == []
    released = (course.release / name / f"{name}.ipynb").read_text()
    assert released == write(release_notebook(plan.blueprint.notebook)), "run ./course build and commit release/"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_solution_was_built_from_this_source(name: str) -> None:
    course = find_course()
    source = json.loads(write(load_plan(course, name).blueprint.notebook))
    solution = json.loads((course.solutions / name / f"{name}.ipynb").read_text())
    assert [c["source"] for c in solution["cells"]] == [c["source"] for c in source["cells"]], (
        "run ./course build and commit solutions/"
    )


@pytest.mark.parametrize("path", sorted(HOME.glob("release/**/*.ipynb")), ids=lambda p: p.stem)
def test_a_released_notebook_holds_no_output_and_nothing_hidden(path: Path) -> None:
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        text = "".join(cell["source"])
        assert not any(word in text for word in ("BEGIN SOLUTION", "BEGIN HIDDEN", "grader_tests"))


def test_lock_files_name_versions_and_no_places() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        lines = [line for line in (HOME / lock).read_text().splitlines() if line and not line.startswith("#")]
        assert all("==" in line or line == "-r requirements.lock" for line in lines)
        assert not any(sign in line for line in lines for sign in ("://", "@", "--hash", "--index", "--extra"))
