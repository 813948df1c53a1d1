"""The names of the solved m5 notebook, without running its training: for tests that ask single checks."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from types import ModuleType
from typing import Any

from grading.course import Plan, find_course, load_plan
from grading.messages import Explanation
from grading.notebooks import grade_id
from grading.runners import plain_python
from grading.student import local_student
from grading.verdict import CheckResult

NAME = "m5_date_rematch"
FOLDER = find_course().source / NAME


@cache
def date_task() -> ModuleType:
    """The module that students get."""
    spec = importlib.util.spec_from_file_location("date_task", FOLDER / "date_task.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["date_task"] = module
    spec.loader.exec_module(module)
    return module


@cache
def plan() -> Plan:
    """The assignment's plan."""
    return load_plan(find_course(), NAME)


def solved_names(text: str = "") -> dict[str, Any]:
    """What the solved answer cells define, and then `text`."""
    date_task()
    namespace: dict[str, Any] = {"__name__": "__main__"}
    names = {name for check in plan().assignment.checks for name in check.uses} - {"date_task"}
    wanted = {f"{name}_answer" for name in names} | {"m5_claims_answer"}
    for cell in plan().blueprint.notebook.cells:
        if cell.id == "imports" or grade_id(cell) in wanted:
            exec(plain_python(cell.source), namespace)
    exec(text, namespace)
    return namespace


def asked(names: dict[str, Any], seed: int, cells: set[str] | None = None) -> list[CheckResult]:
    """The results of the checks of these cells, or of all but those of the handed-in file."""
    chosen = [c for c in plan().assignment.checks if c.cell != "rematch_weights" and (cells is None or c.cell in cells)]
    return [check.run(local_student(names, check.cell), seed, Explanation({})) for check in chosen]
