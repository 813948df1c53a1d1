"""What one submission costs, in processor seconds, ours beside stock nbgrader's way, measured in one run on one machine.

    .venv/bin/python benchmarks/submission_cost.py [--repeat 20]

Three notebooks of m1_attention: one whose answers are all empty (the fixed cost), the released one, the solved one. Ours is the
whole of `score` (read, rebuild, run, ask, decide, finish) plus the write into a gradebook and autograded/; stock is what nbgrader
does with a notebook, a kernel of its own through nbclient, without its gradebook. The warm parent's start is told apart.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

from grading.build import release_notebook
from grading.cohort import Work, launch_for, score_one
from grading.course import find_course, load_plan
from grading.gradebook import open_gradebook
from grading.notebooks import is_answer, write
from grading.sandboxed import Sandbox

NAME = "m1_attention"


def tree_cpu_s() -> float:
    """Processor seconds of this process and of all that it has started, ended ones included."""
    total = 0.0
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def measure(action: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Median (processor, wall) seconds of an action."""
    cpu, wall = [], []
    for _ in range(repeat):
        before, started = tree_cpu_s(), time.perf_counter()
        action()
        cpu.append(tree_cpu_s() - before)
        wall.append(time.perf_counter() - started)
    return statistics.median(cpu), statistics.median(wall)


def without_answers(released: NotebookNode) -> NotebookNode:
    """The released notebook with nothing in its answer cells."""
    empty = copy.deepcopy(released)
    for cell in empty.cells:
        if is_answer(cell):
            cell.source = ""
    return empty


def execute_as_stock(notebook: NotebookNode) -> None:
    """A kernel for this notebook alone, errors tolerated."""
    client = NotebookClient(copy.deepcopy(notebook), allow_errors=True, timeout=120, record_timing=False)
    client.extra_arguments = ["--log-level=ERROR"]
    client.execute()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    home = find_course()
    plan = load_plan(home, NAME)
    released = release_notebook(plan.blueprint.notebook)
    notebooks = {"empty": without_answers(released), "released": released, "solved": plan.blueprint.notebook}
    with tempfile.TemporaryDirectory() as folder:
        course = find_course(Path(folder))
        heads = ("ours cpu s", "ours wall s", "stock cpu s", "stock wall s", "ratio cpu", "ratio wall")
        print("notebook  " + "".join(f"{head:>13}" for head in heads))
        with Sandbox(launch_for(trust_students=False)) as sandbox, open_gradebook(course) as gradebook:
            for name, notebook in notebooks.items():
                inbox = course.submitted / name / NAME
                inbox.mkdir(parents=True)
                (inbox / f"{NAME}.ipynb").write_text(write(notebook))
                work = Work(name, inbox, plan, 6050)
                score_one(course, work, sandbox, gradebook)  # starts the parent and the gradebook
                cpu, wall = measure(lambda work=work: score_one(course, work, sandbox, gradebook), repeat)
                stock_cpu, stock_wall = measure(lambda notebook=notebook: execute_as_stock(notebook), max(3, repeat // 7))
                ratios = f"{stock_cpu / cpu:>13.1f}{stock_wall / wall:>13.1f}"
                print(f"{name:<10}{cpu:>13.3f}{wall:>13.3f}{stock_cpu:>13.3f}{stock_wall:>13.3f}{ratios}")


if __name__ == "__main__":
    main()
