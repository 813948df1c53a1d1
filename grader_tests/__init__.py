"""The hidden checks. In stock nbgrader a graded cell's hidden line calls `check` and shows the points it returns."""

from __future__ import annotations

import inspect
import pkgutil
from pathlib import Path
from typing import Any

from grading.checks import Assignment, NoSuchAssignment, load_assignment
from grading.messages import Explanation
from grading.student import local_student
from grading.verdict import sum_points

_LOCAL_SEED = 6050  # outside a scoring run there is no course secret to draw from


def check(cell: str) -> float:
    """Points of one graded cell, by its grade id, for the notebook that calls this; messages of checks that fail are printed."""
    frame = inspect.currentframe()
    namespace: dict[str, Any] = frame.f_back.f_globals if frame and frame.f_back else {}
    assignment = _assignment_of(cell)
    files = {name: Path(name).read_bytes() for name in assignment.handed_in if Path(name).is_file()}
    student = local_student(namespace, cell, files=files)
    results = [c.run(student, _LOCAL_SEED, Explanation({})) for c in assignment.checks_of(cell)]
    for result in results:
        if not result.points:
            print(f"{result.check}: {result.message}")
    return sum_points(r.points for r in results)


def _assignment_of(cell: str) -> Assignment:
    """The assignment that has a graded cell; grade ids are unique in the course. Raises NoSuchAssignment."""
    for module in pkgutil.iter_modules(__path__):
        if not module.ispkg and not module.name.startswith(("test_", "conftest")):
            assignment = load_assignment(module.name)
            if cell in assignment.points:
                return assignment
    raise NoSuchAssignment(f"no assignment has a graded cell {cell!r}")
