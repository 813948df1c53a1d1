"""What a scoring run cost: the time on the clock, and the time that its submissions took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.verdict import Result


@dataclass(frozen=True)
class RunCost:
    """One run: what it scored, how many results stood from earlier runs, times in seconds, and the submission that took most."""

    scored: int
    stood: int
    elapsed_s: float
    grading_s: float
    longest: Result | None

    @property
    def per_second(self) -> float:
        """Submissions scored in a second on the clock."""
        return self.scored / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def mean_s(self) -> float:
        """What a submission took on average, from its notebook's opening to its last check."""
        return self.grading_s / self.scored if self.scored else 0.0


def cost_of(scored: Sequence[Result], stood: int, elapsed_s: float) -> RunCost:
    """The cost of a run that scored these, of which the ones that stood are no part."""
    longest = max(scored, key=lambda result: result.seconds, default=None)
    return RunCost(len(scored), stood, elapsed_s, sum(result.seconds for result in scored), longest)
