"""Make one small fault after another in the solved answers, and see whether the checks notice.

    .venv/bin/python -m tests.mutants [ASSIGNMENT ...] [--json] [--workers N] [--seed N] [--sample N] [--only TEXT]

A mutant is killed where a check fails on it. The exit status is 1 where one survives that `equivalent/` does not list, where one
could not be judged, or where one is listed that no longer exists or that a check kills.
"""

from __future__ import annotations

import argparse
import json
import os
import random

from grading.course import find_course, load_plan
from tests.mutants.equivalents import read_equivalents
from tests.mutants.figures import Figures
from tests.mutants.judging import judge_all
from tests.mutants.population import mutants_of


def main() -> int:
    """Judge, and tell; 1 where somebody must look."""
    options = _options()
    at_fault = False
    for name in options.assignments or find_course().assignments():
        figures = run(name, options.seed, options.workers, options.sample, options.only)
        print(json.dumps(figures.as_dict()) if options.as_json else "\n".join(figures.in_words()), flush=True)
        at_fault |= figures.at_fault
    return int(at_fault)


def run(name: str, seed: int, workers: int, sample: int | None, only: str = "") -> Figures:
    """Judge an assignment's mutants, or those whose name holds `only`, or a sample of them that is drawn by the seed."""
    population = mutants_of(load_plan(find_course(), name))
    chosen = [mutant for mutant in population if only in mutant.identity]
    if sample is not None:
        chosen = random.Random(seed).sample(chosen, min(sample, len(chosen)))
    found = judge_all(name, chosen, seed, workers)
    return Figures(name, seed, population, found.judged, read_equivalents(name), found.cpu_s)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = find_course().assignments()
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="all where none is named")
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object an assignment, nothing else")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=1, help="decides the hidden inputs, and the sample")
    parser.add_argument("--sample", type=int, help="so many mutants an assignment; all where none is given")
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants whose name holds this, as that of a function")
    options = parser.parse_args()
    unknown = set(options.assignments) - set(known)
    if unknown:
        parser.error(f"there is no assignment {', '.join(sorted(unknown))}")
    if options.workers < 1 or (options.sample is not None and options.sample < 1):
        parser.error("--workers and --sample must be 1 or more")
    return options


if __name__ == "__main__":
    raise SystemExit(main())
