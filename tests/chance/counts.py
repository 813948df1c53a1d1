"""Both errors counted, check by check: a right answer that fails, and the nearest wrong answer that passes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch

from grading.checks import Check
from grading.course import Plan, find_course, load_plan
from tests.chance.asking import sitting
from tests.chance.margins import tail_chance
from tests.zoo_answers import Answer, read_zoo

NEAREST = Path(__file__).parent / "nearest.toml"
SOLUTION = ""


@dataclass(frozen=True)
class Counted:
    """One check on one answer, under many seeds.

    `turned` is the number of seeds under which a right answer failed or a wrong one passed, `margin` the largest of the others,
    `tail` what follows for seeds that nobody has tried; 1 where something turned.
    """

    check: str
    answer: str
    seeds: int
    turned: int
    margin: float
    tail: float


@dataclass(frozen=True)
class Task:
    """A check to be asked of an answer (the solution where it has no name) under the seeds from `first` on."""

    assignment: str
    check: str
    answer: str
    first: int
    seeds: int


def count(task: Task) -> Counted:
    """Ask, and count."""
    torch.set_num_threads(1)
    plan = load_plan(find_course(), task.assignment)
    check = next(check for check in plan.assignment.checks if check.name == task.check)
    answer = answer_of(plan, task.answer)
    right, turned, margins = answer is None or answer.right, 0, []
    with sitting(plan, answer.text if answer else SOLUTION, (answer or solution_like(plan)).files(plan)) as sat:
        for seed in range(task.first, task.first + task.seeds):
            turned += sat.passes(check, seed) != right
            margins.append(sat.margins.of_a_right_answer if right else sat.margins.of_a_wrong_answer)
    tail = 1.0 if turned else tail_chance(margins)
    return Counted(task.check, task.answer or "the solution", task.seeds, turned, max(margins), tail)


def answer_of(plan: Plan, name: str) -> Answer | None:
    """The zoo's answer of this name; None for the solution. Raises KeyError."""
    return {answer.path.stem: answer for answer in read_zoo(plan.assignment.name)}[name] if name else None


def solution_like(plan: Plan) -> Answer:
    """An answer without text, which hands in what the solution does."""
    return Answer(Path("right_solution.py"), SOLUTION, ("", "points: all"))


def drawing_checks(plan: Plan) -> list[Check]:
    """The checks that draw anything when they are asked of the solution."""
    with sitting(plan, SOLUTION, solution_like(plan).files(plan)) as sat:
        return [check for check in plan.assignment.checks if sat.draws(check)]


def nearest_wrong(assignment: str) -> dict[str, str]:
    """By check, the wrong answer that comes nearest to passing it, as `nearest.toml` has it."""
    return dict(tomllib.loads(NEAREST.read_text()).get(assignment, {}))


def tasks(assignment: str, first: int, seeds: int) -> Iterator[Task]:
    """Every drawing check of the solution and of its nearest wrong answer."""
    nearest = nearest_wrong(assignment)
    for check in drawing_checks(load_plan(find_course(), assignment)):
        yield Task(assignment, check.name, SOLUTION, first, seeds)
        yield Task(assignment, check.name, nearest[check.name], first, seeds)


def count_all(assignments: Sequence[str], first: int, seeds: int, workers: int) -> Iterator[tuple[Task, Counted]]:
    """All tasks of some assignments, as they are done."""
    wanted = [task for name in assignments for task in tasks(name, first, seeds)]
    with ProcessPoolExecutor(workers) as pool:
        yield from zip(wanted, pool.map(count, wanted), strict=True)


def find_nearest(assignment: str, seeds: int) -> dict[str, str]:
    """Of the wrong answers that fail a check, the one that comes nearest to passing it, then the one that fails fewest others.

    A wrong answer of the zoo earns the same points under every seed: what it fails under the first it is to fail under all.
    """
    plan = load_plan(find_course(), assignment)
    checks = drawing_checks(plan)
    best: dict[str, tuple[int, float, int, str]] = {}
    for answer in read_zoo(assignment):
        for check, (passed, margin, others) in ({} if answer.right else failings(plan, answer, checks, seeds)).items():
            best[check] = max(best.get(check, (0, -1.0, 0, "")), (passed, margin, -others, answer.path.stem))
    return {check: name for check, (*_, name) in sorted(best.items())}


def failings(plan: Plan, answer: Answer, checks: Sequence[Check], seeds: int) -> dict[str, tuple[int, float, int]]:
    """By check that an answer fails under the first seed: how often it passes, its largest margin, how many fail beside it."""
    found = {}
    with sitting(plan, answer.text, answer.files(plan)) as sat:
        for check in [check for check in checks if not sat.passes(check, 1)]:
            margins, passed = [0.0], 0
            for seed in range(2, seeds + 1):
                passed += sat.passes(check, seed)
                margins.append(sat.margins.of_a_wrong_answer)
            found[check.name] = passed, max(margins)
    return {name: (*told, len(found) - 1) for name, told in found.items()}


def unsteady(assignment: str, seeds: int) -> Iterator[tuple[str, str, int]]:
    """Wrong answers, checks that they fail under the first seed, and under how many of the next ones they pass."""
    plan = load_plan(find_course(), assignment)
    checks = drawing_checks(plan)
    for answer in read_zoo(assignment):
        for check, (passed, *_) in ({} if answer.right else failings(plan, answer, checks, seeds)).items():
            if passed:
                yield answer.path.stem, check, passed
