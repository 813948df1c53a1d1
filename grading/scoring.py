"""A scoring run as a command does it: the crew is opened, progress told, the report written, what a person must do said."""

from __future__ import annotations

import glob
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from grading.cohort import Outcome, Work, listed, score_all, try_all
from grading.course import Course
from grading.crew import Alone, Crew
from grading.files import replace_file
from grading.progress import told
from grading.report.cost import RunCost, cost_of
from grading.report.page import render_report
from grading.report.table import render_table
from grading.results import Graded, read_graded
from grading.retraining_run import Comparison
from grading.sandboxed import Sandbox, launch_for
from grading.verdict import Result

_LOG_COLUMNS = 120  # of a table that goes to a file


@dataclass(frozen=True)
class Hands:
    """Who is to score: the workers of a scheduler, or so many of this machine; None means one a core, 0 this process alone."""

    workers: int | None = None
    scheduler: str = ""
    trust_students: bool = False


@dataclass(frozen=True)
class FinishedRun:
    """What a run came to: everything that was asked for, in the order in which it was done, and what that cost."""

    graded: list[Graded]
    cost: RunCost

    @property
    def results(self) -> list[Result]:
        """What the reports are made of."""
        return [one.result for one in self.graded]


@contextmanager
def open_crew(hands: Hands, work: Sequence[Work]) -> Iterator[Crew]:
    """The crew for some work. Raises NoSandbox, CrewError."""
    if hands.workers == 0 and not hands.scheduler:
        with Sandbox(launch_for(hands.trust_students)) as sandbox:
            yield Alone(sandbox, {one.plan.assignment.name: one.plan for one in work})
        return
    # Dask takes half a second to import, and only a scoring run needs it.
    from grading.cluster import cluster_at, local_cluster

    if hands.scheduler:
        opened = cluster_at(hands.scheduler, hands.trust_students)
    else:
        opened = local_cluster(min(hands.workers or usable_cores(), len(work)), hands.trust_students)
    with opened as cluster:
        if cluster.dashboard:
            print(f"dashboard: {cluster.dashboard}", file=sys.stderr)
        yield cluster


def score_with_progress(
    course: Course, work: Sequence[Work], hands: Hands, as_json: bool = False, only_try: bool = False
) -> FinishedRun:
    """Score everything, and tell of it meanwhile; where it is only tried, nothing is written."""
    if not hands.scheduler:
        launch_for(hands.trust_students)  # refuses here, before anything is written
    started, outcomes = time.monotonic(), list[Outcome]()
    with told(len(work), as_json, Console(stderr=True)) as tell:

        def note(outcome: Outcome) -> None:
            outcomes.append(outcome)
            tell(outcome)

        graded = (try_all if only_try else score_all)(course, work, partial(open_crew, hands), note)
    scored = [outcome.result for outcome in outcomes if not outcome.stood]
    return FinishedRun(graded, cost_of(scored, len(outcomes) - len(scored), time.monotonic() - started))


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def write_report(
    course: Course, results: Sequence[Result], trained: Sequence[Comparison] = (), cost: RunCost | None = None
) -> Path:
    """Write autograded/report.html, of these results and of all others that lie in autograded/; where it lies."""
    path = course.autograded / "report.html"
    everything = [*results, *others_in_autograded(course, results)]
    replace_file(path, render_report(everything, "Scoring report", trained, cost).encode())
    return path


def others_in_autograded(course: Course, results: Iterable[Result]) -> Iterator[Result]:
    """Results of earlier runs, of assignments or students that this one was not asked for."""
    known = {(result.student, result.assignment) for result in results}
    for name in course.assignments():
        for folder in sorted(course.autograded.glob(f"*/{glob.escape(name)}")):
            if (folder.parent.name, name) in known:
                continue
            if earlier := read_graded(folder):
                yield earlier.result
            elif (folder / "verdicts.json").exists():
                print(f"course: not in the report, for it cannot be read: {folder / 'verdicts.json'}", file=sys.stderr)


def conclude(results: Sequence[Result], report: Path) -> None:
    """The table, what a person must do, and where the report lies."""
    if not results:
        print("There is nothing to score: submitted/<student>/<assignment>/ holds no submission.")
        return
    console = Console()
    console = console if console.is_terminal else Console(width=_LOG_COLUMNS)
    console.print(render_table(listed(results)))
    for result in (r for r in results if r.status != "graded"):
        reason = result.findings[-1].message if result.findings else "a check could not be decided"
        print(
            f"ungraded: {result.student} {result.assignment}: {reason} Look at it, and ask for another copy or grade it by hand."
        )
    for sandbox in sorted({result.sandbox for result in results}):
        print(f"sandbox: {sandbox}")
    print(f"report: {report}")
