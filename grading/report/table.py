"""The table that a scoring run prints in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from grading.report.page import by_student, ungraded
from grading.report.words import number
from grading.verdict import Result, Verdict

_WORST_FIRST = (Verdict.UNGRADED, Verdict.FORBIDDEN, Verdict.MEMORY, Verdict.TIMEOUT, Verdict.ERROR, Verdict.FAIL)


def render_table(results: Sequence[Result]) -> Table:
    """One row a submission, by student, ungraded ones last; an assignment column only where there are several."""
    several = len({r.assignment for r in results}) > 1
    table = Table(title="Scores", title_justify="left")
    table.add_column("student", overflow="fold")
    if several:
        table.add_column("assignment", overflow="fold")
    table.add_column("status")
    for name in ("points", "by hand", "findings"):
        table.add_column(name, justify="right")
    table.add_column("not passed")
    for result in sorted(by_student(results), key=ungraded):
        named = [result.student, result.assignment] if several else [result.student]
        style = "bold" if ungraded(result) else ""
        table.add_row(*(Text(printable(cell), style) for cell in (*named, *row_of(result))))
    return table


def row_of(result: Result) -> tuple[str, ...]:
    """The cells after the names."""
    sign = "≥ " if ungraded(result) else ""
    points = f"{sign}{number(result.points)} / {number(result.max_points)}"
    by_hand = number(result.manual_points) if result.manual_points else ""
    return (result.status, points, by_hand, str(len(result.findings) or ""), not_passed(result))


def not_passed(result: Result) -> str:
    """Verdicts other than PASS with their counts, the worst first."""
    counts = {v: sum(c.verdict is v for c in result.checks) for v in _WORST_FIRST}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def printable(text: str) -> str:
    """Text without anything that moves a terminal's cursor; folder names are the students'."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
