"""Who scores: what a crew is handed and hands back, and the smallest crew, this process alone.

A task holds everything of a submission, so that a worker needs the course's own files and a sandbox, and neither its inbox, its
gradebook nor its secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from grading.course import Plan, drawn_plan
from grading.results import Basis, Edition, Finished
from grading.sandboxed import Sandbox
from grading.submission import Submission
from grading.variant import Variant


class CrewError(Exception):
    """Nobody is there to score, or not with this course; the message says what to do. What has been written stands."""


@dataclass(frozen=True)
class Task:
    """One submission to be scored, what its result will depend on, and what was drawn for its student where something was."""

    submission: Submission
    basis: Basis
    variant: Variant | None = None


@dataclass(frozen=True)
class Batch:
    """Some submissions of one assignment."""

    assignment: str
    edition: Edition
    tasks: tuple[Task, ...]

    def singly(self) -> Iterator[Batch]:
        """Each submission as a batch of its own."""
        return (Batch(self.assignment, self.edition, (task,)) for task in self.tasks)


@dataclass(frozen=True)
class Done:
    """A batch with its results, in the order of its submissions."""

    batch: Batch
    results: list[Finished]


@dataclass(frozen=True)
class Lost:
    """A batch whose worker ended over it, or over another that it was to do next."""

    batch: Batch


class Crew(Protocol):
    """Scores batches, in whatever order they are done."""

    def score(self, batches: Iterable[Batch], at_once: int | None = None) -> Iterator[Done | Lost]:
        """The results of each batch as it is done; `at_once` bounds how many are under way. Raises CrewError."""


class Alone:
    """This process, with one sandbox."""

    def __init__(self, sandbox: Sandbox, plans: Mapping[str, Plan]) -> None:
        self._sandbox, self._plans = sandbox, plans

    def score(self, batches: Iterable[Batch], at_once: int | None = None) -> Iterator[Done | Lost]:
        """One after the other."""
        for batch in batches:
            yield Done(batch, list(score_batch(batch, self._plans[batch.assignment], self._sandbox)))


def score_batch(batch: Batch, plan: Plan, sandbox: Sandbox) -> Iterator[Finished]:
    """The results of a batch, in order."""
    for task in batch.tasks:
        own = drawn_plan(plan, task.variant)
        yield Finished.of(own, sandbox.score(task.submission, own, task.basis.seed), task.basis)
