"""What another run has changed: who moved, from what to what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from grading.cohort import Work
from grading.course import Course
from grading.results import Graded, read_graded
from grading.verdict import Result

Key = tuple[str, str]
"""An assignment and a student."""


@dataclass(frozen=True)
class Move:
    """A submission whose points or status another run has changed, and in words why."""

    before: Result
    after: Result
    reasons: tuple[str, ...]

    def in_words(self) -> str:
        """Some lines for a person."""
        head = f"{self.after.student} {self.after.assignment}: {points(self.before)} -> {points(self.after)}"
        reasons = "; ".join(self.reasons) or "nothing that it depends on has changed: the earlier run could not judge it"
        return "\n".join([head, *(f"    {line}" for line in self.checks()), f"    because: {reasons}"])

    def checks(self) -> Iterator[str]:
        """The checks whose verdict is another, and those that are new or gone."""
        old, new = ({check.check: check for check in result.checks} for result in (self.before, self.after))
        for name in [*old, *(name for name in new if name not in old)]:
            words = [f"{found[name].verdict} ({found[name].points:g})" if name in found else "not asked" for found in (old, new)]
            if words[0] != words[1]:
                yield f"{name}: {words[0]} -> {words[1]}"


def points(result: Result) -> str:
    """The points of a result; of one that a person must look at, the least that it has."""
    return f"{result.points:g}/{result.max_points:g}" if result.status == "graded" else f"ungraded, at least {result.points:g}"


def earlier_results(course: Course, work: Iterable[Work]) -> dict[Key, Graded]:
    """What earlier runs have said of some work, where they have."""
    found = {}
    for one in work:
        name = one.plan.assignment.name
        if graded := read_graded(course.autograded / one.student / name):
            found[name, one.student] = graded
    return found


def moved(before: Mapping[Key, Graded], after: Iterable[Graded]) -> list[Move]:
    """The submissions that moved, by assignment and student."""
    moves = []
    for graded in sorted(after, key=lambda g: (g.result.assignment, g.result.student)):
        result = graded.result
        earlier = before.get((result.assignment, result.student))
        if earlier and (earlier.result.points, earlier.result.status) != (result.points, result.status):
            reasons = graded.basis.changes_since(earlier.basis) if graded.basis else []
            moves.append(Move(earlier.result, result, tuple(reasons)))
    return moves
