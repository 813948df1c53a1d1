"""Count both errors of every check that draws anything, under many seeds, and compute what they come to.

    .venv/bin/python -m tests.chance [ASSIGNMENT …] [--seeds 10000] [--first 1] [--write docs/trust/chance.json]

A line a check: of the solution and of the nearest wrong answer, how often the verdict was another one, the largest margin, and
the chance that follows for seeds that nobody has tried (tests/chance/margins.py). A file that is there already keeps what it
says of other assignments. The exit status is 1 where a verdict turned. Ten thousand seeds take some six hours on one core.

    .venv/bin/python -m tests.chance --nearest ASSIGNMENT …

prints which wrong answer comes nearest to passing each check, for tests/chance/nearest.toml, and

    .venv/bin/python -m tests.chance --unsteady ASSIGNMENT … --seeds 50

every wrong answer that passes, under some of so many seeds, a check that it fails under the first.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from grading.course import find_course
from tests.chance.counts import SOLUTION, Counted, count_all, find_nearest, unsteady
from tests.chance.laws import STATISTICAL
from tests.chance.margins import FEWEST

SEED = 6050


def in_words(counted: Counted, kind: str) -> str:
    """A line of the table."""
    turned = f"{counted.turned} of {counted.seeds}"
    return f"  {counted.check:36} {kind} {turned:>12}  margin {counted.margin:8.1e}  beyond {counted.tail:8.1e}  {counted.answer}"


def told_laws(assignment: str) -> list[dict[str, Any]]:
    """The statistical tests of an assignment, computed."""
    made = STATISTICAL.get(assignment)
    return [asdict(law) for law in made(torch.Generator().manual_seed(SEED))] if made else []


def main() -> int:
    """Print the table, write the file; 1 where a verdict turned."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="all where none is named")
    parser.add_argument("--seeds", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--write", type=Path, help="a JSON file to keep the counts in")
    parser.add_argument("--nearest", action="store_true", help="look for the nearest wrong answers, and count nothing")
    parser.add_argument("--unsteady", action="store_true", help="look for wrong answers that pass under some seeds only")
    options = parser.parse_args()
    known = find_course().assignments()
    names = options.assignments or known
    if unknown := set(names) - set(known):
        parser.error(f"there is no assignment {', '.join(sorted(unknown))}")
    if options.seeds < (2 if options.unsteady else FEWEST) or options.workers < 1:
        parser.error(f"--seeds must be {FEWEST} or more (2 with --unsteady), --workers 1 or more")
    if options.nearest:
        for name in names:
            print(f"[{name}]", *(f'{c} = "{a}"' for c, a in find_nearest(name, seeds=2).items()), "", sep="\n")
        return 0
    if options.unsteady:
        found_unsteady = [(name, *told) for name in names for told in unsteady(name, options.seeds)]
        for name, answer, check, passed in found_unsteady:
            print(f"{name}: {answer} passes {check} under {passed} of {options.seeds - 1} seeds")
        return int(bool(found_unsteady))
    found = {name: counted(name, options) for name in names}
    return int(any(row["turned"] for one in found.values() for kind in ("right", "wrong") for row in one[kind]))


def counted(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Count one assignment, print it, and put it into the file."""
    told: dict[str, Any] = {"seeds": options.seeds, "right": [], "wrong": []}
    print(name)
    for task, result in count_all([name], options.first, options.seeds, options.workers):
        kind = "right" if task.answer == SOLUTION else "wrong"
        told[kind].append(asdict(result))
        print(in_words(result, kind), flush=True)
    told["laws"] = told_laws(name)
    if options.write:
        before = json.loads(options.write.read_text()) if options.write.is_file() else {}
        options.write.write_text(json.dumps({**before, name: told}, indent=1, sort_keys=True) + "\n")
    return told


if __name__ == "__main__":
    raise SystemExit(main())
