"""`./course bench`: the same cohort through stock nbgrader and through ours, in turn, and our own curve over its size."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from grading.bench.cost import Cost, measure
from grading.bench.parts import measure_parts, writes_a_second
from grading.course import Course, CourseError, Plan, load_plan
from grading.demo import hand_in
from grading.notebooks import write
from grading.sandbox.launch import choose_launch

_ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Submissions of two runs, whose difference leaves out what starting costs: whole numbers of times the same few texts.
_TEXTS = 4
_STOCK = (_TEXTS, 2 * _TEXTS)
_OURS = (_TEXTS, 16 * _TEXTS)
_ROUNDS = 2
_REPEAT = 20


@dataclass(frozen=True)
class Speed:
    """What was measured: marginal costs of a submission, and our curve as (submissions, workers, whole cost)."""

    assignment: str
    machine: dict[str, Any]
    stock: list[Cost]
    ours: list[Cost]
    curve: list[tuple[int, int, Cost]]
    parts: dict[str, float]
    writes_a_second: float

    @property
    def ratio(self) -> float:
        """How many times the submissions a second of stock, from the medians of the rounds."""
        return median_wall_s(self.stock) / median_wall_s(self.ours)

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return {**asdict(self), "ratio": self.ratio}


def plan_to_measure(home: Course, name: str = "") -> Plan:
    """The plan of the named assignment; where none is named, of the first that is the same for everyone. Raises CourseError."""
    plans = (load_plan(home, found) for found in ([name] if name else home.assignments()))
    plan = next((plan for plan in plans if plan.template is None), None)
    if plan is None:
        raise CourseError("what is drawn for each student anew cannot be measured beside stock nbgrader; name another assignment")
    return plan


def median_wall_s(costs: Sequence[Cost]) -> float:
    """The middle one, or the lower of two."""
    return sorted(cost.wall_s for cost in costs)[(len(costs) - 1) // 2]


def measure_speed(home: Course, plan: Plan, students: int) -> Speed:
    """Measure; `students` is the largest size of our curve."""
    texts = honest_texts(home, plan)
    few_texts = texts[:_TEXTS]
    stock, ours = [], []
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        for _ in range(_ROUNDS):
            few, many = (stock_run(home, plan, few_texts, size, place) for size in _STOCK)
            stock.append(many.marginal(few, _STOCK[1] - _STOCK[0]))
            few, many = (our_run(home, plan, few_texts, size, workers_here(), place) for size in _OURS)
            ours.append(many.marginal(few, _OURS[1] - _OURS[0]))
        sizes = [size for size in (10, 100, 1000) if size <= students]
        curve = [
            (size, workers, our_run(home, plan, texts, size, workers, place))
            for size in sizes
            for workers in sorted({1, workers_here()})
        ]
        writes = writes_a_second(plan, texts[0], place / "writing")
    parts = measure_parts(plan, texts[0], choose_launch(), _REPEAT)
    return Speed(plan.assignment.name, machine(), stock, ours, curve, parts, writes)


def workers_here() -> int:
    """One a core."""
    return len(os.sched_getaffinity(0))


def honest_texts(home: Course, plan: Plan) -> list[bytes]:
    """What honest students hand in: the solved answers, then right and wrong answers of the zoo in turn."""
    zoo = home.root / "tests" / "zoo" / plan.assignment.name
    answers = [sorted(zoo.glob(f"{kind}_*.py")) for kind in ("right", "wrong")]
    mixed = [path for pair in zip(*answers, strict=False) for path in pair]
    return [write(hand_in(plan, text)).encode() for text in ("", *(path.read_text() for path in mixed))]


def fill(inbox: Path, name: str, texts: Sequence[bytes], size: int) -> None:
    """An inbox of so many students, the texts in turn."""
    for number, text in enumerate(islice(cycle(texts), size)):
        folder = inbox / f"student-{number:05}" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.ipynb").write_bytes(text)


def our_run(home: Course, plan: Plan, texts: Sequence[bytes], size: int, workers: int, place: Path) -> Cost:
    """`./course score` over a fresh inbox."""
    root = Path(tempfile.mkdtemp(dir=place))
    fill(root / "submitted", plan.assignment.name, texts, size)
    command = [sys.executable, "-P", "-m", "grading", "score", "--root", str(root), "--workers", str(workers)]
    cost = measure(command, home.root, {**_ENVIRONMENT, "PYTHONPATH": str(home.root)})
    shutil.rmtree(root)
    return cost


def stock_run(home: Course, plan: Plan, texts: Sequence[bytes], size: int, place: Path) -> Cost:
    """`nbgrader autograde` as it comes, over the same inbox; the hidden line runs the same checks in the student's kernel."""
    root, name = Path(tempfile.mkdtemp(dir=place)), plan.assignment.name
    shutil.copytree(home.source / name, root / "source" / name)
    (root / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "bench"\n')
    fill(root / "submitted", name, texts, size)
    programs = Path(sys.executable).parent
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])  # nbgrader starts `alembic` by name
    environment = {**_ENVIRONMENT, "PYTHONPATH": str(home.root), "PATH": path}
    nbgrader = str(programs / "nbgrader")
    measure([nbgrader, "generate_assignment", name], root, environment)
    cost = measure([nbgrader, "autograde", name], root, environment)
    shutil.rmtree(root)
    return cost


def machine() -> dict[str, Any]:
    """What the figures hold for."""
    packages = {name: version(name) for name in ("torch", "numpy", "nbgrader", "distributed")}
    return {"processor": processor(), "cores": workers_here(), "python": platform.python_version(), **packages}


def processor() -> str:
    """The processor's name, as Linux tells it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def in_words(speed: Speed) -> Iterator[str]:
    """Lines for a person."""
    yield f"{speed.assignment} on {', '.join(f'{name} {value}' for name, value in speed.machine.items())}"
    for title, costs in (("stock nbgrader", speed.stock), ("./course score", speed.ours)):
        for cost in costs:
            peak = f"{cost.peak_bytes / 1e6:.0f} MB at most in a process"
            yield f"{title}: {1 / cost.wall_s:.2f} submissions a second, {cost.cpu_s:.3f} processor seconds each, {peak}"
    yield f"ratio of submissions a second: {speed.ratio:.0f}"
    for size, workers, cost in speed.curve:
        each_ms = 1000 * cost.cpu_s / size
        yield f"{size} submissions, {workers} workers: {cost.wall_s:.1f} s, {each_ms:.0f} ms of processor time each in all"
    yield f"results that the coordinator writes alone: {speed.writes_a_second:.0f} a second"
    yield "processor time of one submission, in ms: " + ", ".join(f"{name} {ms:.1f}" for name, ms in speed.parts.items())
