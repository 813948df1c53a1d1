"""Solutions in every style, judged: which right answer loses a point only because of how it is written.

    .venv/bin/python -m tests.styles [ASSIGNMENT …] [--json] [--compositions N] [--seed N] [--workers N] [--packed]

With --style NAME, which may be given several times, only these styles.
Prints a line for each styled answer that lost something; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from grading.course import find_course, load_plan
from grading.sandboxed import Sandbox, launch_for
from grading.submission import Submission
from grading.verdict import Result
from tests.styles.population import STYLES, Judged, compositions, culprits, judged, packed_styles, single_styles


@dataclass(frozen=True)
class Report:
    """One assignment: what was judged, and what lost points."""

    assignment: str
    singles: tuple[Judged, ...]
    composed: tuple[Judged, ...]
    lost: tuple[Judged, ...]

    def as_dict(self) -> dict[str, Any]:
        """For --json: styled answers (cells) by style, compositions, what was lost."""
        by_style = Counter(style for one in self.singles for chain in one.styled.styles.values() for style in chain)
        lost = [{"styles": one.styled.styles, "lost": one.lost} for one in self.lost]
        return {
            "assignment": self.assignment,
            "styles": len(by_style),
            "styled_answers": sum(by_style.values()),
            "by_style": dict(sorted(by_style.items())),
            "compositions": len(self.composed),
            "composed_answers": sum(len(one.styled.texts) for one in self.composed),
            "seconds": round(sum(one.seconds for one in (*self.singles, *self.composed)), 1),
            "lost": lost,
        }

    def in_words(self) -> str:
        """What a terminal shows."""
        lines = [f"  {one.styled.name} ({', '.join(one.styled.texts)}):" for one in self.lost]
        told = ["".join(f"\n      {check}: {message}" for check, message in one.lost.items()) for one in self.lost]
        found = self.as_dict()
        counts = "{styled_answers} answers in {styles} styles, {composed_answers} in {compositions} compositions".format(**found)
        return "\n".join(
            [f"{self.assignment}: {counts}; {len(self.lost)} lost points", *map("".join, zip(lines, told, strict=True))]
        )


@dataclass(frozen=True)
class Share:
    """What one process judges."""

    assignment: str
    seed: int
    styles: Sequence[str]
    packed: bool
    numbers: Sequence[int]


def judge_share(share: Share) -> tuple[list[Judged], list[Judged], list[Judged]]:
    """Single styles, compositions, and the cells that made any of them fall, in a sandbox of their own."""
    plan = load_plan(find_course(), share.assignment)
    with Sandbox(launch_for(trust_students=False)) as sandbox:

        def score(submission: Submission) -> Result:
            return sandbox.score(submission, plan, share.seed).result

        population = packed_styles(plan, share.styles) if share.packed else single_styles(plan, share.styles)
        singles = [judged(plan, styled, score) for styled in population]
        composed = [judged(plan, styled, score) for styled in compositions(plan, share.numbers, share.seed)]
        lost = [culprit for one in (*singles, *composed) if one.lost for culprit in culprits(plan, one, score)]
    return singles, composed, lost


def report_on(name: str, options: argparse.Namespace) -> Report:
    """Judge all chosen styles of one assignment, and some compositions."""
    workers, chosen = options.workers, options.style or tuple(STYLES)
    numbers = range(options.compositions)
    shares = [Share(name, options.seed, chosen[i::workers], options.packed, numbers[i::workers]) for i in range(workers)]
    with ProcessPoolExecutor(workers) as pool:
        parts = list(zip(*pool.map(judge_share, shares), strict=True))
    singles, composed, lost = (tuple(one for found in part for one in found) for part in parts)
    return Report(name, singles, composed, lost)


def main() -> int:
    """Print the reports; 1 where something was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="tests.styles"
    )
    known = find_course().assignments()
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="all where none is named")
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object an assignment, nothing else")
    parser.add_argument("--compositions", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--style", action="append", choices=sorted(STYLES), metavar="NAME", help="all where none is named")
    parser.add_argument("--packed", action="store_true", help="each style in one cell, another style in each cell: much quicker")
    options = parser.parse_args()
    if unknown := set(options.assignments) - set(known):
        parser.error(f"there is no assignment {', '.join(sorted(unknown))}")
    if options.workers < 1:
        parser.error("--workers must be 1 or more")
    fallen = False
    for name in options.assignments or known:
        began = time.monotonic()
        report = report_on(name, options)
        took = time.monotonic() - began
        print(json.dumps(report.as_dict()) if options.as_json else f"{report.in_words()} ({took:.0f} s)", flush=True)
        fallen |= bool(report.lost)
    return int(fallen)


if __name__ == "__main__":
    raise SystemExit(main())
