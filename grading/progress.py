"""What a scoring run tells while it goes on: a bar on a terminal, a line a minute elsewhere, JSON for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from grading.cohort import Outcome
from grading.verdict import Result

Told = Callable[[Outcome], None]
_EVERY_S = 60.0


def plain_line(result: Result) -> str:
    """A result for a log."""
    points = f"{result.points:g}/{result.max_points:g}"
    told = points if result.status == "graded" else f"ungraded, at least {points}"
    return f"{result.student} {result.assignment}: {told} ({result.seconds:.1f} s)"


class Tally:
    """How far a run is: done of all, how many of these stood from earlier, how many are ungraded, and how fast it goes."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.done, self.stood, self.ungraded = total, 0, 0, 0
        self._clock, self._started = clock, clock()

    def add(self, outcome: Outcome) -> None:
        """Count one."""
        self.done += 1
        self.stood += outcome.stood
        self.ungraded += outcome.result.status != "graded"

    def in_words(self) -> str:
        """One line: the rate and the time left are those of what was scored in this run."""
        scored, elapsed_s = self.done - self.stood, max(self._clock() - self._started, 1e-9)
        parts = [f"{self.done} of {self.total} done"]
        parts += [f"{self.stood} of them stand from earlier"] if self.stood else []
        if scored:
            left_s = (self.total - self.done) * elapsed_s / scored
            parts += [f"{scored / elapsed_s:.1f} a second", f"about {in_time(left_s)} left"]
        return ", ".join([*parts, f"{self.ungraded} ungraded so far"])


def in_time(seconds: float) -> str:
    """Hours, minutes and seconds, the largest two."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def told(total: int, as_json: bool, console: Console) -> Iterator[Told]:
    """What is to be called with each outcome."""
    if as_json:
        yield lambda outcome: print(json.dumps(outcome.result.as_dict()), flush=True)
    elif console.is_terminal:
        with told_by_a_bar(total, console) as tell:
            yield tell
    else:
        yield in_lines(Tally(total), time.monotonic, print_line)


def print_line(line: str) -> None:
    """A line of a log, seen at once."""
    print(line, flush=True)


def in_lines(tally: Tally, clock: Callable[[], float], say: Callable[[str], None]) -> Told:
    """How far the run is, once a minute and at its end."""
    last = clock()

    def tell(outcome: Outcome) -> None:
        nonlocal last
        tally.add(outcome)
        if clock() - last >= _EVERY_S or tally.done == tally.total:
            last = clock()
            say(tally.in_words())

    return tell


@contextmanager
def told_by_a_bar(total: int, console: Console) -> Iterator[Told]:
    """A bar with the rate and the time left."""
    tally = Tally(total)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("scoring", total=total)

        def tell(outcome: Outcome) -> None:
            tally.add(outcome)
            progress.update(task, advance=1, description=f"scoring, {tally.ungraded} ungraded")

        yield tell
