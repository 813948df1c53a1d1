"""What a line of defence costs a submission, in processor milliseconds over a plain forked child, measured in turn in one run.

    .venv/bin/python -m benchmarks.sandbox_cost [--repeat 60]

Each line that this machine offers, and the plain fork beside it, starts a child, runs one cell that does nothing, and ends the
child. The parents are warm and live side by side; rounds go from one to the next, so that a drift of the machine meets all alike.
"""

from __future__ import annotations

import argparse
import statistics
from contextlib import ExitStack
from dataclasses import replace

import psutil

from grading.limits import Limits
from grading.sandbox.inside.cage import NONE
from grading.sandbox.launch import Launch, bare_launch, launches
from grading.sandbox.probe import probe
from grading.sandbox.session import CellToRun, Session
from grading.sandbox.warm import WarmParent


def launches_beside_a_fork() -> dict[str, Launch]:
    """Every line of defence that works here, after a plain fork in the place of the first: no place is dearer than another."""
    found = launches(probe())
    first = next(iter(found.values()), bare_launch())
    return {"plain fork": replace(first, line=NONE, filter=b""), **found}


def cpu_s(process: psutil.Process) -> float:
    """Processor seconds of a process and of all beneath it, ended ones included."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        times = one.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


def one_stay(parent: WarmParent) -> None:
    """A child from its start to its end."""
    with Session(parent, [CellToRun("<cell 0>", "1")], {}, Limits()) as session:
        session.run_cells()


def main() -> None:
    """Print medians of batches; the clock of processes ticks in hundredths, so that a batch is ten stays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=60, help="stays of each line, in batches of ten")
    batches = max(1, parser.parse_args().repeat // 10)
    spent: dict[str, list[float]] = {}
    with ExitStack() as stack:
        parents = {
            name: stack.enter_context(WarmParent(chosen))
            for name, chosen in {"plain fork": bare_launch(), **launches(probe())}.items()
        }
        here = psutil.Process()
        for parent in parents.values():
            one_stay(parent)
        for _ in range(batches):
            for name, parent in parents.items():
                before = cpu_s(here)
                for _ in range(10):
                    one_stay(parent)
                spent.setdefault(name, []).append((cpu_s(here) - before) * 100)
    plain = statistics.median(spent["plain fork"])
    for name, times in spent.items():
        middle = statistics.median(times)
        print(
            f"{name:<48}{middle:7.1f} ms, {middle - plain:+6.1f} over the plain fork (from {min(times):.1f} to {max(times):.1f})"
        )


if __name__ == "__main__":
    main()
