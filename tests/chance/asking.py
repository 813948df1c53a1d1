"""One check asked of one answer under many seeds: the notebook runs once, in this process, the check as often as wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch

from grading.checks import Check, check_generator
from grading.course import Plan
from grading.messages import Explanation
from grading.notebooks import open_notebook
from grading.rebuild import Rebuilt, rebuild
from grading.runners import LocalRunner, Stay, open_apart
from grading.score import cells_to_run, files_beside
from grading.student import HandedIn, Student
from grading.trial import as_submission
from grading.verdict import Verdict
from tests.chance.margins import Margins, recorded


@dataclass(frozen=True)
class Sitting:
    """An answer's notebook that has been run, ready to be asked; `margins` are those of the last question."""

    stay: Stay
    rebuilt: Rebuilt
    handed_in: HandedIn
    margins: Margins

    def passes(self, check: Check, seed: int) -> bool:
        """The verdict under this seed. Raises RuntimeError for one that was not decided: that is a fault of ours."""
        self.margins.ratios.clear()
        self.stay.begin_check()
        verdict = check.run(self._student(check), seed, Explanation({})).verdict
        if verdict is Verdict.UNGRADED:
            raise RuntimeError(f"{check.name} could not be decided under seed {seed}")
        return verdict is Verdict.PASS

    def draws(self, check: Check) -> bool:
        """Whether the check, asked of this answer, takes anything from its generator."""
        generator = check_generator(1, check.name)
        before = generator.get_state()
        self.stay.begin_check()
        check.question(self._student(check), generator)
        return not torch.equal(generator.get_state(), before)

    def _student(self, check: Check) -> Student:
        return Student(self.stay, check.cell, self.rebuilt.answers, handed_in=self.handed_in)


@contextmanager
def sitting(plan: Plan, text: str, files: Mapping[str, bytes]) -> Iterator[Sitting]:
    """Run the solved notebook with the definitions of a text in it, in this process: trusted answers alone."""
    submission = as_submission(plan, "answer", text, files)
    assert submission.content is not None, submission.reason
    rebuilt = rebuild(open_notebook(submission.content).notebook, plan.blueprint)
    runner, limits = LocalRunner(), plan.assignment.limits
    with runner.open(cells_to_run(rebuilt, plan), files_beside(submission, plan), limits) as stay, recorded() as margins:
        stay.run_cells()
        yield Sitting(stay, rebuilt, HandedIn(submission.files, partial(open_apart, runner, limits, stay)), margins)
