"""What a run over an assignment's mutants found: counts by kind, and what somebody must look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.mutants.equivalents import KINDS, Equivalent
from tests.mutants.judging import KILLED, SURVIVING, UNGRADED, Judged
from tests.mutants.population import Key, Mutant

_COLUMNS = ("mutants", KILLED, *KINDS, SURVIVING, UNGRADED)


@dataclass(frozen=True)
class Figures:
    """All of one assignment: its whole population, those that were judged (all, or a sample), and what is listed."""

    assignment: str
    seed: int
    population: Sequence[Mutant]
    judged: Sequence[Judged]
    listed: Mapping[Key, Equivalent]
    cpu_s: float

    @property
    def surviving(self) -> list[Judged]:
        """Survivors that are not listed."""
        return [one for one in self.judged if one.outcome == SURVIVING and one.mutant.key not in self.listed]

    @property
    def ungraded(self) -> list[Judged]:
        """Mutants that could not be judged: faults of ours."""
        return [one for one in self.judged if one.outcome == UNGRADED]

    @property
    def stale(self) -> list[Equivalent]:
        """Listed mutants that no longer exist."""
        known = {mutant.key for mutant in self.population}
        return [entry for key, entry in self.listed.items() if key not in known]

    @property
    def killed_though_listed(self) -> list[Judged]:
        """Listed mutants that a check kills: they are not equivalent, or the check is wrong."""
        return [one for one in self.judged if one.outcome == KILLED and one.mutant.key in self.listed]

    @property
    def at_fault(self) -> bool:
        """Whether somebody must look."""
        return bool(self.surviving or self.ungraded or self.stale or self.killed_though_listed)

    @property
    def kinds(self) -> Mapping[str, Counter[str]]:
        """Counts by kind of mutation."""
        counts: dict[str, Counter[str]] = {}
        for one in self.judged:
            count = counts.setdefault(one.mutant.fault.kind, Counter())
            count["mutants"] += 1
            count[self._column(one)] += 1
        return dict(sorted(counts.items()))

    def _column(self, one: Judged) -> str:
        listed = self.listed.get(one.mutant.key)
        return listed.kind if listed is not None and one.outcome == SURVIVING else one.outcome

    @property
    def totals(self) -> Counter[str]:
        """Counts of all kinds together."""
        return sum(self.kinds.values(), Counter[str]())

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        rows = {kind: {column: count[column] for column in _COLUMNS} for kind, count in self.kinds.items()}
        return {
            "assignment": self.assignment,
            "seed": self.seed,
            "population": len(self.population),
            "totals": {column: self.totals[column] for column in _COLUMNS},
            "kinds": rows,
            "surviving": [one.mutant.identity for one in self.surviving],
            "ungraded": [{"mutant": one.mutant.identity, "told": list(one.told)} for one in self.ungraded],
            "stale": [entry.identity for entry in self.stale],
            "killed_though_listed": [{"mutant": o.mutant.identity, "by": list(o.told)} for o in self.killed_though_listed],
            "cpu_s": round(self.cpu_s, 1),
        }

    def in_words(self) -> Iterator[str]:
        """A line for each that somebody must look at, then the counts."""
        for one in self.surviving:
            yield f"survives: {one.mutant.identity}"
        for one in self.ungraded:
            yield f"ungraded: {one.mutant.identity}: {'; '.join(one.told)}"
        for entry in self.stale:
            yield f"listed, and no longer there: {entry.identity}"
        for one in self.killed_though_listed:
            yield f"listed, and killed by {', '.join(one.told)}: {one.mutant.identity}"
        width = max((len(kind) for kind in self.kinds), default=5)
        for kind, count in {**self.kinds, "all": self.totals}.items():
            yield f"  {kind:{width}} " + "  ".join(f"{count[column]:4} {column}" for column in _COLUMNS)
        share = "" if len(self.judged) == len(self.population) else f"a sample of {len(self.population)}, "
        yield f"{self.assignment}: {len(self.judged)} mutants, {share}seed {self.seed}, {self.cpu_s:.0f} s of processor time"
