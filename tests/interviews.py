"""Interviews of students in this process: a solved notebook, an answer of the zoo or a reference is asked what its checks ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from torch import Tensor

from grading.checks import Check
from grading.course import Plan
from grading.expectations import close
from grading.messages import Explanation
from grading.notebooks import grade_id
from grading.runners import plain_python
from grading.sandbox.inside.client import Client
from grading.student import LocalTransport, Student, local_student
from grading.verdict import CheckResult, Verdict
from grading.wire import Frame

Names = Mapping[str, Any]
SEEDS = [*range(1, 29), 2**61 + 7, 2**62 - 1]


def solved_names(plan: Plan, given: Collection[str] = ("imports",)) -> dict[str, Any]:
    """The names that the solved answer cells define; `given` are the ids of other cells that they need."""
    namespace: dict[str, Any] = {}
    wanted = {f"{cell}_answer" for cell in plan.assignment.points}
    for cell in plan.blueprint.notebook.cells:
        if cell.id in given or grade_id(cell) in wanted:
            exec(plain_python(cell.source), namespace)
    return namespace


def asked(plan: Plan, names: Names, seed: int, sources: Mapping[str, str] | None = None) -> list[CheckResult]:
    """Every check's result."""
    students = {cell: local_student(dict(names), cell, sources) for cell in plan.assignment.points}
    return [check.run(students[check.cell], seed, Explanation({})) for check in plan.assignment.checks]


def fallen(results: Collection[CheckResult]) -> list[str]:
    """The messages of checks that did not pass."""
    return [r.message for r in results if r.verdict is not Verdict.PASS]


def result_of(plan: Plan, check_name: str, names: Names, seed: int) -> CheckResult:
    """One check's result."""
    check = next(c for c in plan.assignment.checks if c.name == check_name)
    return check.run(local_student(dict(names), check.cell), seed, Explanation({}))


def hint(plan: Plan, check_name: str, seed: int, names: Names) -> str:
    """The hint that a failed check gives, or nothing."""
    result = result_of(plan, check_name, names, seed)
    assert result.verdict is Verdict.FAIL, result.message
    return result.message.partition("Hint: ")[2].removesuffix(".")


def mistaken(references: Callable[..., Mapping[str, Tensor]], mistake: str) -> Callable[..., Tensor]:
    """An answer that makes one mistake, in the dtype of its first argument."""
    return lambda first, *rest: references(first, *rest)[mistake].to(first.dtype)


class Listening(LocalTransport):
    """Notes what a check sends: the arguments' form and the bytes of all tensors."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.heard: list[tuple[str, bytes]] = []

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        self.heard.append((json.dumps(header.get("args")), blob))
        return super().ask(header, blob)


def heard(check: Check, names: Names, seed: int) -> list[tuple[str, bytes]]:
    """What a check sends to these answers."""
    transport = Listening(Client(dict(names)))
    check.run(Student(transport, check.cell, {}), seed, Explanation({}))
    return transport.heard


def assert_inputs_follow_the_seed(plan: Plan, names: Names, unchanging: Collection[str]) -> None:
    """Hidden inputs differ by seed and repeat with it, save those of checks that ask what is known to everyone."""
    for check in plan.assignment.checks:
        first, again, other = (heard(check, names, seed) for seed in (1, 1, 2))
        assert first == again
        assert (first == other) is (check.name in unchanging), check.name


def assert_no_shared_inputs(plan: Plan, names: Names, unchanging: Collection[str]) -> None:
    """No two checks send the same tensors; those of a hundred bytes or less may be cases by hand, or the same by chance."""
    seen: dict[bytes, str] = {}
    for check in plan.assignment.checks:
        for _, blob in set(heard(check, names, 1)) if check.name not in unchanging else ():
            if len(blob) > 100:
                assert seen.setdefault(blob, check.name) == check.name


def assert_all_differ(
    right: Tensor, mistakes: Mapping[str, Tensor], tolerance: float, alike: Callable[[Tensor, Tensor, float], bool] = close
) -> None:
    """Ten times the tolerance apart: an answer within it of one must not be within it of another."""
    named = [("right", right), *mistakes.items()]
    for i, (name, value) in enumerate(named):
        for other, another in named[i + 1 :]:
            assert not alike(value, another, 10 * tolerance), (name, other)
