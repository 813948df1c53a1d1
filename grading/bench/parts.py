"""Where the processor time of one submission goes: reading and rebuilding, the child, cells, checks, the finished notebook."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil

from grading.cohort import batched
from grading.course import Plan, find_course
from grading.export import write_folder
from grading.finish import finish
from grading.gradebook import open_gradebook
from grading.notebooks import open_notebook, write_compact
from grading.rebuild import rebuild
from grading.results import Finished
from grading.sandbox.launch import Launch
from grading.sandbox.session import Session
from grading.sandbox.warm import WarmParent
from grading.score import ask_checks, cells_to_run, make_result, ungraded
from grading.student import HandedIn
from grading.submission import Submission
from grading.times import Arrival

PARTS = ("read and rebuild", "start and end a child", "cells: ours", "cells: child", "checks: ours", "checks: child", "finish")


class Clock:
    """Processor seconds by part, of this process and of the sandbox's."""

    def __init__(self) -> None:
        self.parts = dict.fromkeys(PARTS, 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count this process's seconds for a part."""
        before = time.process_time()
        yield
        self.parts[name] += time.process_time() - before


def measure_parts(plan: Plan, content: bytes, launch: Launch, repeat: int) -> dict[str, float]:
    """Mean milliseconds of processor time by part, after one submission that warms everything.

    Means, for the clocks of other processes tick in hundredths of a second.
    """
    with WarmParent(launch) as parent:
        one_submission(plan, content, parent)
        found = [one_submission(plan, content, parent) for _ in range(repeat)]
    return {name: 1000 * statistics.mean(parts[name] for parts in found) for name in PARTS}


def writes_a_second(plan: Plan, content: bytes, root: Path, submissions: int = 200, together: int = 8) -> float:
    """How many results a second the coordinator writes alone, into a new SQLite gradebook and autograded/."""
    root.mkdir()
    course = find_course(root)
    submission = Submission("bench", plan.assignment.name, content)
    finished = Finished.of(plan, ungraded(submission, plan, "", 7, "unreadable", "It was not scored at all."), None)
    students = [replace(finished, result=replace(finished.result, student=f"student-{i:05}")) for i in range(submissions)]
    with open_gradebook(course) as gradebook:
        gradebook.prepare(plan)
        started = time.perf_counter()
        for group in batched(students, together):
            gradebook.write(plan, [(one, Arrival(None)) for one in group])
            for one in group:
                write_folder(course.autograded / one.result.student / one.result.assignment, root, submission, one)
    return submissions / (time.perf_counter() - started)


def one_submission(plan: Plan, content: bytes, parent: WarmParent) -> dict[str, float]:
    """Seconds by part; the sandbox's own are what its processes used beyond the child's cells and checks."""
    clock, before_s = Clock(), cpu_of_sandbox(parent)
    with clock.part("read and rebuild"):
        rebuilt = rebuild(open_notebook(content).notebook, plan.blueprint)
        cells = cells_to_run(rebuilt, plan)
    with Session(parent, cells, plan.given, plan.assignment.limits) as stay:
        with clock.part("cells: ours"):
            stay.run_cells()
        ran_s = stay.child_cpu_s()
        with clock.part("checks: ours"):
            checks, _ = ask_checks(stay, rebuilt, plan, 7, HandedIn())
        asked_s = stay.child_cpu_s()
    with clock.part("finish"):
        result = make_result(Submission("bench", plan.assignment.name, content), plan, "", 7, (), checks)
        write_compact(finish(rebuilt, plan.blueprint, stay.runs, result))
    clock.parts |= {"cells: child": ran_s, "checks: child": asked_s - ran_s}
    clock.parts["start and end a child"] += cpu_of_sandbox(parent) - before_s - asked_s
    return clock.parts


def cpu_of_sandbox(parent: WarmParent) -> float:
    """Processor seconds of a warm parent, of the processes above it in the sandbox, and of children that have ended."""
    total, root = 0.0, psutil.Process(parent.pid)
    for process in (root, *root.children(recursive=True)):
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return float(total)
