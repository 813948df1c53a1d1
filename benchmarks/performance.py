"""Writes docs/performance.md from what it measures here; takes some twenty minutes, and wants the machine idle.

    .venv/bin/python -m benchmarks.performance [--students 1000] [--repeat 5]

The ratio, the curve, the parts and the writing are `./course bench`'s; what a solved submission of each assignment costs is
measured beside them, so that a whole course can be reckoned.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import pairwise

from grading.bench.parts import PARTS, cpu_of_sandbox
from grading.bench.speed import Speed, measure_speed, median_wall_s, plan_to_measure
from grading.course import Course, find_course, load_plan, solved_files
from grading.runners import SandboxRunner
from grading.sandbox.launch import choose_launch
from grading.sandbox.warm import WarmParent
from grading.score import score
from grading.submission import Submission

STUDENTS = 100_000
BEYOND = tuple(part for part in PARTS if part not in ("cells: child", "checks: ours", "checks: child"))


def cost_by_assignment(course: Course, repeat: int) -> dict[str, float]:
    """Mean processor seconds of a solved submission, the sandbox's included, by assignment."""
    with WarmParent(choose_launch()) as parent:
        return {name: cost_of(course, name, parent, repeat) for name in course.assignments()}


def cost_of(course: Course, name: str, parent: WarmParent, repeat: int) -> float:
    """Mean processor seconds of an assignment's solved submission, after one that warms everything."""
    plan = load_plan(course, name)
    content = (course.solutions / name / f"{name}.ipynb").read_bytes()
    submission = Submission("bench", name, content, files=solved_files(course, plan.assignment))
    runner = SandboxRunner(parent)
    score(submission, plan, runner, 7)
    before = time.process_time() + cpu_of_sandbox(parent)
    for _ in range(repeat):
        score(submission, plan, runner, 7)
    return (time.process_time() + cpu_of_sandbox(parent) - before) / repeat


def page(speed: Speed, by_assignment: Mapping[str, float]) -> Iterator[str]:
    """The lines of docs/performance.md."""
    machine = ", ".join(f"{name} {value}" for name, value in speed.machine.items())
    yield "# What scoring costs"
    yield ""
    yield f"Measured on {date.today()} by `.venv/bin/python -m benchmarks.performance`, which writes this page: {machine}."
    yield "Seconds of processor time are those of every process, the sandbox's included."
    yield from beside_stock(speed)
    yield from own_curve(speed)
    yield from parts_of_one(speed)
    yield from beside_targets(speed)
    yield from whole_course(speed, by_assignment)


def beside_stock(speed: Speed) -> Iterator[str]:
    """The ratio, and the rounds that it comes from."""
    yield from ("", "## Beside stock nbgrader", "")
    yield (
        f"The same four honest submissions of {speed.assignment} through `nbgrader autograde` (the same hidden checks, in the "
        "student's kernel) and through `./course score`, in turn, in one run. What starting costs is left out: two runs of "
        "different sizes are subtracted."
    )
    yield from ("", "| | submissions a second | processor seconds each | largest process |", "|---|---|---|---|")
    for title, costs in (("stock nbgrader", speed.stock), ("`./course score`", speed.ours)):
        for cost in costs:
            yield f"| {title} | {1 / cost.wall_s:.2f} | {cost.cpu_s:.3f} | {cost.peak_bytes / 1e6:.0f} MB |"
    yield ""
    yield f"**{speed.ratio:.0f} times** the submissions a second, by the medians of the rounds."


def own_curve(speed: Speed) -> Iterator[str]:
    """Our cost over size and workers."""
    yield from ("", "## From ten submissions to a thousand", "")
    yield from ("| submissions | workers | seconds | processor seconds each, starting included |", "|---|---|---|---|")
    for size, workers, cost in speed.curve:
        yield f"| {size} | {workers} | {cost.wall_s:.1f} | {cost.cpu_s / size:.3f} |"
    yield from ("", "Without what starting costs, from one size to the next:", "")
    yield from ("| from | to | workers | milliseconds each |", "|---|---|---|---|")
    for smaller, larger, workers, wall_s in steps(speed):
        yield f"| {smaller} | {larger} | {workers} | {1000 * wall_s:.0f} |"
    yield ""
    yield f"The coordinator alone writes {speed.writes_a_second:.0f} results a second (SQLite and `autograded/`)."


def steps(speed: Speed) -> Iterator[tuple[int, int, int, float]]:
    """What each more submission costs between two sizes of the curve: sizes, workers, seconds on the clock."""
    for workers in sorted({workers for _, workers, _ in speed.curve}):
        own = [(size, cost) for size, of, cost in speed.curve if of == workers]
        for (smaller, few), (larger, many) in pairwise(own):
            yield smaller, larger, workers, many.marginal(few, larger - smaller).wall_s


def beyond_ms(speed: Speed) -> float:
    """Processor milliseconds of a submission beyond its cells and the checks' questions."""
    return sum(speed.parts[part] for part in BEYOND)


def beside_targets(speed: Speed) -> Iterator[str]:
    """What was aimed at, what was measured, and where the rest goes."""
    peak = max(cost.peak_bytes for cost in speed.ours) / 1e6
    stock_s, cores = median_wall_s(speed.stock), speed.machine["cores"]
    yield from ("", "## Beside what was aimed at", "", "| | aim | measured |", "|---|---|---|")
    yield f"| submissions a second, beside stock | 100 times | {speed.ratio:.0f} times |"
    yield f"| processor time beyond cells and questions | 30 ms | {beyond_ms(speed):.0f} ms |"
    yield f"| results written a second | 200 | {speed.writes_a_second:.0f} |"
    yield f"| memory of a worker | 1,000 MB | {peak:.0f} MB |"
    yield ""
    spare_ms, cells_ms = 1000 * stock_s * cores / 100, speed.parts["cells: child"]
    asked_ms = speed.parts["checks: ours"] + speed.parts["checks: child"]
    yield (
        f"A hundredth of stock's {stock_s:.1f} s leaves {spare_ms:.0f} ms of {cores} cores for a submission. The notebook's own "
        f"cells take {cells_ms:.0f} ms of it, as in any grader that runs them, and the checks' questions {asked_ms:.0f} ms, half "
        "of them in the process that computes what is right: some 150 calls, each with inputs of its own, are what keeps wrong "
        "answers out. More of a hundredfold would take fewer questions, not a faster machine around them."
    )


def parts_of_one(speed: Speed) -> Iterator[str]:
    """Where the time of one submission goes."""
    yield from ("", "## Where the time of one submission goes", "")
    yield from ("Processor milliseconds of the solved notebook:", "", "| part | ms |", "|---|---|")
    for part in PARTS:
        yield f"| {part} | {speed.parts[part]:.1f} |"
    beyond = beyond_ms(speed)
    yield f"| **in all** | **{sum(speed.parts.values()):.1f}** |"
    yield ""
    told = 'is the process that decides, "child" the one that runs the student\'s code.'
    yield f"Beyond the notebook's cells and the checks' questions that is {beyond:.1f} ms. \"Ours\" {told}"


def whole_course(speed: Speed, by_assignment: Mapping[str, float]) -> Iterator[str]:
    """What all assignments of many students would take."""
    yield from ("", f"## {STUDENTS:,} students, {len(by_assignment)} assignments", "")
    yield from ("| assignment | processor seconds of a solved submission |", "|---|---|")
    for name, seconds in by_assignment.items():
        yield f"| {name} | {seconds:.3f} |"
    each = sum(by_assignment.values())
    hours = STUDENTS * each / 3600
    writing = STUDENTS * len(by_assignment) / speed.writes_a_second / 3600
    yield ""
    yield (
        f"A student's whole course costs {each:.2f} processor seconds; {STUDENTS:,} students cost {hours:.0f} processor hours: "
        f"{hours / 2:.0f} hours on two cores, {hours / 100:.1f} on a hundred. One coordinator writes the results of all in "
        f"{writing:.1f} hours, so that beyond some {hours / writing:.0f} cores the writing is the longer part."
    )


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=1000, help="largest cohort of the curve")
    parser.add_argument("--repeat", type=int, default=5, help="submissions of each assignment")
    options = parser.parse_args()
    course = find_course()
    speed = measure_speed(course, plan_to_measure(course), options.students)
    lines = page(speed, cost_by_assignment(course, options.repeat))
    (course.root / "docs" / "performance.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
