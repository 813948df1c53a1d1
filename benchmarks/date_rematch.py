"""The date rematch in full: the frozen curve of the baseline, and the solved notebook with all 25 epochs.

    OMP_NUM_THREADS=2 .venv/bin/python -m benchmarks.date_rematch baseline   # writes source/m5_date_rematch/baseline_curve.json
    OMP_NUM_THREADS=1 .venv/bin/python -m benchmarks.date_rematch solution   # writes solutions/m5_date_rematch/

Minutes each; where other processes share the cores, OMP_WAIT_POLICY=PASSIVE beside it makes them ten times shorter and changes
no number. `./course build` never trains: where the notebook changes it executes a short run, and this command the long one.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from grader_tests.references import dates, rematch
from grading.build import depends_on, run_solved
from grading.course import Course, CourseError, find_course, load_plan
from grading.files import fill_folder, replace_file
from grading.notebooks import write

NAME = "m5_date_rematch"
_TIMEOUT_S = 3 * 3600  # of one cell: on a loaded machine, ten times the minutes that training takes


def load_date_task(course: Course) -> ModuleType:
    """The module that students get."""
    path = course.source / NAME / "date_task.py"
    spec = importlib.util.spec_from_file_location("date_task", path)
    if spec is None or spec.loader is None:
        raise CourseError(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    sys.modules["date_task"] = module
    spec.loader.exec_module(module)
    return module


def processor() -> str:
    """The processor's own name, where the system tells it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    named = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor()


def machine() -> dict[str, Any]:
    """On what a curve was made: it is repeated to the digit on the like of it, and only there."""
    return {"torch": torch.__version__, "threads": torch.get_num_threads(), "processor": processor()}


def run_baseline(task: ModuleType) -> dict[str, Any]:
    """Train the fixed-state model by the schedule; its curve and its one test."""
    pairs = task.split_pairs(task.draw_pairs())
    everything = [*pairs.train, *pairs.valid, *pairs.test]
    ids = task.vocabulary(source for source, _ in everything), task.vocabulary(target for _, target in everything)
    valid = [pair for pair in pairs.valid if dates.is_unambiguous(pair[0])][: task.VALIDATION_SOURCES]
    test = [pair for pair in pairs.test if dates.is_unambiguous(pair[0])]
    torch.manual_seed(task.SEED)
    model = task.FixedStateDateModel(len(ids[0]) + 3, len(ids[1]) + 3)

    def train_epoch(*arguments: Any, **options: Any) -> float:
        return rematch.train_epoch(*arguments, **options).over_batches

    encoded = [dates.encode(part, *ids) for part in (pairs.train, valid, test)]
    curve = task.train_schedule(model, train_epoch, rematch.exact_match, encoded[0], encoded[1])
    return {"validation": curve, "test": rematch.exact_match(model, encoded[2]), "made_on": machine()}


def write_baseline(course: Course) -> None:
    """Freeze the baseline's curve."""
    content = run_baseline(load_date_task(course))
    replace_file(course.source / NAME / "baseline_curve.json", (json.dumps(content, indent=1) + "\n").encode())


def write_solution(course: Course) -> None:
    """Execute the solved notebook with the whole schedule; keep it and the weights that it saved.

    The folder that it runs in stays until all is well: a run that was interrupted goes on from its last epoch.
    """
    plan = load_plan(course, NAME)
    folder = course.root / ".benchmarks" / "date_rematch"
    folder.mkdir(parents=True, exist_ok=True)
    notebook = run_solved(plan, plan.given, course.root, folder, {}, _TIMEOUT_S)
    weights = {name: (folder / name).read_bytes() for name in plan.assignment.handed_in}
    shutil.rmtree(folder)
    notebook.metadata["course"] = {"built_from": depends_on(course, plan, plan.given, run_in_full=True)}
    fill_folder(course.solutions / NAME, {f"{NAME}.ipynb": write(notebook).encode(), **plan.given, **weights})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("baseline", "solution"))
    {"baseline": write_baseline, "solution": write_solution}[parser.parse_args().what](find_course())
