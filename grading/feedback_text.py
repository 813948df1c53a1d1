"""A student's feedback as Markdown, for places that take text: a comment field of a learning platform, a mail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grading.report.page import parts
from grading.report.words import number
from grading.verdict import CheckResult, Result, Verdict

# What Markdown could take for markup outside of code; a line of a student's that is quoted may hold any of it.
_SPACE = re.compile(r"\s+")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&])")


@dataclass(frozen=True)
class Given:
    """What the gradebook holds of one cell: its points, None where nobody has decided, or where it has none to give (and no
    `max_points` then); whether a person gave them; a person's comment."""

    points: float | None
    max_points: float | None
    by_hand: bool
    comment: str = ""


@dataclass(frozen=True)
class Total:
    """The points of a whole submission, what lateness took off, and whether anything is still to be decided."""

    points: float
    max_points: float
    penalty: float
    open: str = ""


def feedback_text(result: Result, total: Total, given: Mapping[str, Given]) -> str:
    """The page of one submission; `given` by grade id, in the notebook's order."""
    return "\n".join(_lines(result, total, given)) + "\n"


def _lines(result: Result, total: Total, given: Mapping[str, Given]) -> Iterator[str]:
    least = "at least " if total.open else ""
    yield f"# {plain(result.assignment)}: {least}{number(total.points)} of {number(total.max_points)} points"
    if total.open:
        yield from ("", f"Not all of it is graded yet: {total.open}.")
    if total.penalty:
        yield from ("", f"{number(total.penalty)} points were taken off because it came late.")
    for cell, found in given.items():
        yield from ("", f"## {plain(cell)}{in_words(found)}", "")
        checks = [check for check in result.checks if check.cell == cell]
        for check in checks:
            yield from told(check)
        if found.by_hand and checks:
            yield "- These points were given by a person."
        if found.comment:
            yield f"- Comment: {plain(found.comment)}"


def in_words(given: Given) -> str:
    """The points of a cell, after its name."""
    if given.max_points is None:
        return ""
    return ": not graded yet" if given.points is None else f": {number(given.points)} of {number(given.max_points)} points"


def told(check: CheckResult) -> Iterator[str]:
    """A check in a line, and beneath it what came back, what was expected, and a hint."""
    right, pieces = check.message.removeprefix("Right: "), parts(check.message)
    if check.verdict is Verdict.PASS:
        yield f"- **{_word(check)}**: {with_code(right)}"
        return
    about = next((text for label, text in pieces if label == "Checked"), "")
    word = "not graded yet" if check.verdict is Verdict.UNGRADED else _word(check)
    yield f"- **{word}**" + (f": {with_code(about)}" if about else "")
    for label, text in pieces:
        if label != "Checked":
            yield f"    - {label}: {with_code(text)}" if label else f"    - {with_code(text)}"


def _word(check: CheckResult) -> str:
    verdict = "passed" if check.verdict is Verdict.PASS else check.verdict.value.lower()
    return f"{verdict}, {number(check.points)} of {number(check.max_points)}"


def with_code(text: str) -> str:
    """Text in which what stands in backquotes is code, and all else is no markup."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return plain(text)
    return "".join(f"`{_SPACE.sub(' ', piece)}`" if i % 2 else plain(piece) for i, piece in enumerate(pieces))


def plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _MARKUP.sub(r"\\\1", _SPACE.sub(" ", text))
