"""The report of a scoring run: one HTML page, made from Results alone, that needs no network and no script.

`render_report` is pure, and its text depends neither on the order of the results nor on anything but them. This module counts;
the template beside it says and draws.
"""

from __future__ import annotations

import math
import re
import shlex
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grading.report.cost import RunCost
from grading.report.items import analyse, signed
from grading.report.trainings import path_of
from grading.report.words import number, percent, seconds, with_code
from grading.retraining_run import Comparison
from grading.verdict import CheckResult, Result, Verdict

# One mark a verdict, so that the grid can be read without colour; a quiet dot for PASS lets the rest stand out.
MARKS = {
    Verdict.PASS: "•",
    Verdict.FAIL: "F",
    Verdict.ERROR: "E",
    Verdict.TIMEOUT: "T",
    Verdict.MEMORY: "M",
    Verdict.FORBIDDEN: "X",
    Verdict.UNGRADED: "?",
}
_LABEL = re.compile(r"(?:^|(?<=[.?] ))(Checked|Came back|Expected|Hint): ")
# Neither UTF-8 (lone surrogates of odd file names) nor HTML (control characters) can carry these.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_CHART_WIDTH, _CHART_HEIGHT = 960.0, 190.0


@dataclass(frozen=True)
class CheckTally:
    """How a cohort did at one check; `share` is the mean part of its points earned, None where nobody's was decided."""

    check: str
    cell: str
    max_points: float
    counts: dict[Verdict, int]
    share: float | None


@dataclass(frozen=True)
class Bar:
    """One column of the distribution, in units of the drawing; `points` is the lower end of its bin."""

    points: int
    count: int
    x: float
    width: float
    height: float


@dataclass(frozen=True)
class Chart:
    """The distribution of scores: one bar for every whole point, and the counts that are marked on the vertical axis."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[int, float], ...]  # a count and its height
    label_every: int
    width: float = _CHART_WIDTH
    height: float = _CHART_HEIGHT


@dataclass(frozen=True)
class AssignmentView:
    """All results of one assignment, and what was counted from them; `mean` and `median` are of graded ones."""

    name: str
    results: tuple[Result, ...]
    graded: tuple[Result, ...]
    mean: float | None
    median: float | None
    chart: Chart
    checks: tuple[CheckTally, ...]

    @property
    def hardest(self) -> tuple[CheckTally, ...]:
        """The checks, the smallest mean share first; those that nobody's answer decided come last."""
        return tuple(sorted(self.checks, key=lambda t: math.inf if t.share is None else t.share))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts that occur, and PASS."""
        return tuple(v for v in Verdict if v is Verdict.PASS or any(t.counts[v] for t in self.checks))


@dataclass(frozen=True)
class Mistake:
    """A text that students were told, how many of them, and by which checks."""

    text: str
    students: int
    checks: tuple[str, ...]


def render_report(results: Sequence[Result], title: str, trained: Sequence[Comparison] = (), cost: RunCost | None = None) -> str:
    """The page, as text. Called by the commands that score; `title` is its first heading, `cost` that of the last run."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    functions = (number, percent, seconds, score, share, ungraded, advice, verdicts, told, parts, with_code, analyse, signed)
    environment.filters.update({f.__name__: f for f in (*functions, path_of)})
    rows = by_student(results)
    page = environment.get_template("report.html.jinja").render(
        title=title,
        results=rows,
        waiting=[r for r in rows if ungraded(r)],
        unsandboxed=[r for r in rows if not sandboxed(r)],
        sandboxes=sorted({r.sandbox for r in rows}),
        assignments=by_assignment(rows),
        hints=common_hints(rows),
        messages=common_messages(rows),
        marks=MARKS,
        trained=trained,
        cost=cost,
    )
    return UNPRINTABLE.sub("\ufffd", page)


def by_student(results: Iterable[Result]) -> tuple[Result, ...]:
    """Results in the order of students' names, as a person would look them up, then of assignments."""
    return tuple(sorted(results, key=lambda r: (r.student.casefold(), r.student, r.assignment)))


def by_assignment(results: Sequence[Result]) -> tuple[AssignmentView, ...]:
    """One view an assignment, in the order of their names."""
    names = sorted({r.assignment for r in results})
    return tuple(view_of(name, [r for r in results if r.assignment == name]) for name in names)


def view_of(name: str, results: Sequence[Result]) -> AssignmentView:
    """What is counted of one assignment."""
    graded = tuple(r for r in results if not ungraded(r))
    points = [r.points for r in graded]
    mean, median = (statistics.fmean(points), statistics.median(points)) if points else (None, None)
    top = math.floor(max((r.max_points for r in results), default=0.0))
    return AssignmentView(name, tuple(results), graded, mean, median, chart_of(points, top), tally(results))


def tally(results: Iterable[Result]) -> tuple[CheckTally, ...]:
    """Every check that was asked of anybody, in the order of the assignment."""
    asked: dict[str, list[CheckResult]] = {}
    for check in (c for r in results for c in r.checks):
        asked.setdefault(check.check, []).append(check)
    return tuple(_tally_one(checks) for checks in asked.values())


def _tally_one(checks: Sequence[CheckResult]) -> CheckTally:
    counts = {v: sum(c.verdict is v for c in checks) for v in Verdict}
    shares = [c.points / c.max_points for c in checks if c.verdict is not Verdict.UNGRADED and c.max_points]
    first = checks[0]
    return CheckTally(first.check, first.cell, first.max_points, counts, statistics.fmean(shares) if shares else None)


def chart_of(points: Sequence[float], top: int) -> Chart:
    """Bars for 0, 1, … `top` points; a bar at 8 counts 8 up to, and not including, 9."""
    counts = [0] * (top + 1)
    for value in points:
        counts[min(max(math.floor(value), 0), top)] += 1
    step = _nice_step(max(counts))
    highest = step * max(1, math.ceil(max(counts) / step))
    slot = _CHART_WIDTH / len(counts)
    bars = (Bar(i, n, i * slot + slot * 0.1, slot * 0.8, _CHART_HEIGHT * n / highest) for i, n in enumerate(counts))
    ticks = tuple((n, _CHART_HEIGHT * n / highest) for n in range(0, highest + 1, step))
    return Chart(tuple(bars), ticks, 1 if top <= 30 else 5)


def _nice_step(highest: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that needs at most five marks above zero."""
    ten = 1
    while 25 * ten < highest:
        ten *= 10
    return next(m * ten for m in (1, 2, 5) if 5 * m * ten >= highest)


def common_hints(results: Iterable[Result]) -> list[Mistake]:
    """Hints, the commonest first: a hint names the mistake where it is a known one."""
    return _count(results, lambda found: found.get("Hint", ""))


def common_messages(results: Iterable[Result]) -> list[Mistake]:
    """What came back where there was no hint, if more than one student was told so."""
    without = _count(results, lambda found: "" if "Hint" in found else found.get("Came back", ""))
    return [m for m in without if m.students > 1]


def _count(results: Iterable[Result], choose: Callable[[dict[str, str]], str]) -> list[Mistake]:
    """Texts chosen from the messages of checks that were decided and not passed."""
    students: dict[str, set[str]] = {}
    checks: dict[str, dict[str, None]] = {}
    for result in results:
        for check in result.checks:
            text = "" if check.verdict in (Verdict.PASS, Verdict.UNGRADED) else choose(dict(parts(check.message)))
            if text:
                students.setdefault(text, set()).add(result.student)
                checks.setdefault(text, {})[check.check] = None
    found = [Mistake(text, len(students[text]), tuple(sorted(checks[text]))) for text in students]
    return sorted(found, key=lambda m: (-m.students, -len(m.checks), m.text))


def parts(message: str) -> list[tuple[str, str]]:
    """A message as (label, text) pairs; a message without labels is one pair with an empty label."""
    pieces = _LABEL.split(message)
    pairs = [("", pieces[0]), *zip(pieces[1::2], pieces[2::2], strict=True)]
    found = [(label, _plain_end(text)) for label, text in pairs if text.strip()]
    if [label for label, _ in found] == ["Checked"]:
        about, _, rest = found[0][1].partition(". ")
        found = [("Checked", _plain_end(about + ".")), ("Came back", rest)] if rest else found
    return found


def _plain_end(text: str) -> str:
    text = text.strip()
    return text[:-1] if text.endswith("?.") else text


def told(result: Result) -> list[tuple[Verdict, str, list[CheckResult]]]:
    """The checks that did not pass, in order, those with the same verdict and message together."""
    groups: dict[tuple[Verdict, str], list[CheckResult]] = {}
    for check in result.checks:
        if check.verdict is not Verdict.PASS:
            groups.setdefault((check.verdict, check.message), []).append(check)
    return [(verdict, message, checks) for (verdict, message), checks in groups.items()]


def ungraded(result: Result) -> bool:
    """Whether a person has to look before there is a number; any status that is not "graded" counts as such."""
    return result.status != "graded"


def sandboxed(result: Result) -> bool:
    """Whether student code ran in the sandbox; a description that is not known to be one counts as none."""
    return result.sandbox.startswith(("bubblewrap", "Landlock and seccomp"))


def verdicts(result: Result) -> dict[str, Verdict]:
    """The verdict of each check."""
    return {c.check: c.verdict for c in result.checks}


def advice(result: Result) -> str:
    """What a person should do about an ungraded submission."""
    kinds = {f.kind for f in result.findings}
    place = f"submitted/{result.student}/{result.assignment}/"
    if "unreadable" in kinds:
        return f"Look at `{place}`, ask the student for the notebook as Jupyter saved it, put it there, and score again."
    if "grader-fault" in kinds:
        return "The fault is the grader's, not the student's: read the reason, mend what it names, and score again."
    if not result.checks:
        return f"No check was asked: see that grader_tests/{result.assignment}.py holds the assignment's checks, and score again."
    # The path may be pasted into a shell, and a folder's name is the student's.
    notebook = shlex.quote(f"{place}{result.assignment}.ipynb")
    return f"Find out why with `pytest grader_tests --submission {notebook}`, mend the check, and score again."


def score(result: Result) -> str:
    """Points as a person reads them; of an ungraded submission never a number that looks final."""
    if ungraded(result):
        return f"at least {number(result.points)} of {number(result.max_points)}"
    return f"{number(result.points)} / {number(result.max_points)}"


def share(result: Result) -> float:
    """The part of the points that was earned, 0 to 1."""
    return result.points / result.max_points if result.max_points else 0.0
