"""Item analysis: how hard each question of an exam was, whether it told good papers from weak ones, and what was chosen.

A question is named by its checks' `Item`; what a student did in its cell is what counts, of submissions without anything
undecided, and not of those that answer another student's paper. Formulas: Crocker and Algina, Introduction to Classical and
Modern Test Theory.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grading.verdict import ANOTHER, Item, Result, Verdict, sum_points

FEWEST = 8  # below this many papers, which question looks odd is a matter of luck


@dataclass(frozen=True)
class Attempt:
    """One student at one question: the part of its points that was earned, all other points, and what was chosen."""

    share: float
    rest: float
    chosen: tuple[str, ...]


@dataclass(frozen=True)
class ItemTally:
    """What is known of a question, or of a place that draws from several.

    `difficulty` is the mean share of its points that was earned (high: easy). `discrimination` is the correlation of that share
    with the points earned elsewhere, for all-or-nothing questions the point-biserial one; None where either does not vary.
    """

    name: str
    cell: str
    papers: int
    difficulty: float
    discrimination: float | None
    chosen: tuple[tuple[str, int], ...]
    flags: tuple[str, ...]


@dataclass(frozen=True)
class ItemAnalysis:
    """The questions by place in the paper, the questions that were drawn for them, and how reliable the places are together.

    `reliability` is Kuder and Richardson's formula 20 over the places, each counted as right when it earned all of its points;
    None where there are fewer than two places, or everybody has as many right.
    """

    papers: int
    places: tuple[ItemTally, ...]
    questions: tuple[ItemTally, ...]
    reliability: float | None

    @property
    def fewest(self) -> int:
        """Papers that a question needs before anything about it is flagged."""
        return FEWEST


def analyse(results: Sequence[Result]) -> ItemAnalysis | None:
    """The analysis of one assignment's results; None where no check names a question."""
    decided = [r for r in results if r.checks and _tells_of_questions(r)]
    found = [(item, cell, attempt_at(result, cell, item)) for result in decided for cell, item in items_of(result).items()]
    if not found:
        return None
    cells = sorted({cell for _, cell, _ in found}, key=_natural)
    places = tuple(tally_of(cell, cell, [a for _, c, a in found if c == cell], False) for cell in cells)
    named = sorted({(cell, item.name) for item, cell, _ in found}, key=lambda pair: (_natural(pair[0]), pair[1]))
    questions = tuple(tally_of(name, cell, [a for i, c, a in found if (c, i.name) == (cell, name)], True) for cell, name in named)
    right = [[attempt_at(r, cell, None).share == 1 for cell in cells] for r in decided]
    return ItemAnalysis(len(decided), places, questions, kuder_richardson_20(right))


def _tells_of_questions(result: Result) -> bool:
    """Whether everything was decided, and the answers were meant for these questions."""
    undecided = any(check.verdict is Verdict.UNGRADED for check in result.checks)
    return not undecided and all(finding.kind != "another-paper" for finding in result.findings)


def _natural(cell: str) -> tuple[int, str]:
    """A2 before A10."""
    return len(cell), cell


def items_of(result: Result) -> Mapping[str, Item]:
    """The question of each cell that has one."""
    return {check.cell: check.item for check in reversed(result.checks) if check.item is not None}


def attempt_at(result: Result, cell: str, item: Item | None) -> Attempt:
    """What a student did in a cell."""
    earned = sum_points(c.points for c in result.checks if c.cell == cell)
    most = sum_points(c.max_points for c in result.checks if c.cell == cell)
    return Attempt(earned / most if most else 0.0, result.points - earned, item.chosen if item else ())


def tally_of(name: str, cell: str, attempts: Sequence[Attempt], is_question: bool) -> ItemTally:
    """Count what was done at one question; what was chosen says something only where all had the same question."""
    difficulty = statistics.fmean(a.share for a in attempts)
    discrimination = correlation([a.share for a in attempts], [a.rest for a in attempts])
    chosen = Counter(option for a in attempts for option in (a.chosen or ("nothing",))) if is_question else Counter[str]()
    ranked = tuple(sorted(chosen.items(), key=lambda pair: (-pair[1], pair[0])))
    return ItemTally(name, cell, len(attempts), difficulty, discrimination, ranked, flags(attempts, discrimination, is_question))


def correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's correlation; None where there is none to speak of."""
    if len(one) < 2 or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)


def flags(attempts: Sequence[Attempt], discrimination: float | None, is_question: bool) -> tuple[str, ...]:
    """Why somebody should look at the key again; nothing for so few papers that chance alone explains it.

    Options are counted against the key where all had the same question, and only those that stand for one answer.
    """
    if len(attempts) < FEWEST:
        return ()
    told = []
    if discrimination is not None and discrimination < 0:
        told.append("better papers got it wrong more often")
    if not any(a.share == 1 for a in attempts):
        told.append("nobody got it right")
    named = [a.chosen for a in attempts if a.share < 1 and a.chosen and not any(ANOTHER in option for option in a.chosen)]
    wrong, right = Counter(named), sum(a.share == 1 for a in attempts)
    if is_question and wrong and (favourite := wrong.most_common(1)[0])[1] > right:
        told.append(f"more chose {' with '.join(favourite[0])} than what the key says")
    return tuple(told)


def kuder_richardson_20(right: Sequence[Sequence[bool]]) -> float | None:
    """k / (k - 1) · (1 - Σ p (1 - p) / variance of the number right), the variance over the papers as a population."""
    places = len(right[0]) if right else 0
    totals = [sum(paper) for paper in right]
    if places < 2 or len(set(totals)) < 2:
        return None
    shares = [statistics.fmean(column) for column in zip(*right, strict=True)]
    return places / (places - 1) * (1 - sum(p * (1 - p) for p in shares) / statistics.pvariance(totals))


def signed(value: float | None) -> str:
    """A coefficient with two decimals and its sign; a dash where there is none."""
    return "–" if value is None else f"{value:+.2f}"
