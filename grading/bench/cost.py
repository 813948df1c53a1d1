"""What a command costs: seconds on the clock, processor seconds of all that it starts, and most memory of a process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_SAMPLE_S = 0.2
# What a sandbox leaves behind when its worker ends would be waited for by nobody, its processor time lost: this adopts it.
_ADOPT = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
status = subprocess.call(sys.argv[1:])
while True:
    try:
        os.wait()
    except ChildProcessError:
        sys.exit(status)
"""


class BenchError(Exception):
    """A command that was to be measured failed."""


@dataclass(frozen=True)
class Cost:
    """Of one run: wall and processor seconds, and the largest resident memory of any of its processes."""

    wall_s: float
    cpu_s: float
    peak_bytes: int

    def marginal(self, smaller: Cost, more: int) -> Cost:
        """Of each of so many more submissions than a smaller run had: what is there once, such as starting, falls out."""
        return Cost((self.wall_s - smaller.wall_s) / more, (self.cpu_s - smaller.cpu_s) / more, self.peak_bytes)


def measure(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a command, and all that it starts, to the end. Raises BenchError where it fails."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    within, pipe = [sys.executable, "-S", "-c", _ADOPT], subprocess.PIPE
    environment = {**os.environ, **environment}
    with subprocess.Popen(
        [*within, *command], cwd=folder, env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
    ) as process:
        watch = PeakMemory(process.pid)
        said = process.communicate()[0]
        peak_bytes = watch.stop()
    wall_s, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise BenchError(f"{' '.join(command)} ended with status {process.returncode}: {said[-2000:]}")
    return Cost(wall_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak_bytes)


class PeakMemory:
    """Samples the resident memory of a process and of all that it has started."""

    def __init__(self, pid: int) -> None:
        self._process, self._peak_bytes, self._done = psutil.Process(pid), 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        """The largest of any process so far, in bytes."""
        self._done.set()
        self._thread.join()
        return self._peak_bytes

    def _watch(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            with suppress(psutil.NoSuchProcess):
                for process in (self._process, *self._process.children(recursive=True)):
                    with suppress(psutil.NoSuchProcess):
                        self._peak_bytes = max(self._peak_bytes, process.memory_info().rss)
