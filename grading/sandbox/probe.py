"""What this machine offers to a sandbox: every place where a parent could run is tried, with a child's cage."""

from __future__ import annotations

import base64
import functools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

from grading.sandbox import bubble, seccomp
from grading.sandbox.inside.cage import FILTERS, NAMESPACES
from grading.sandbox.inside.landlock import SIGNALS_SINCE, version

_PROBE_LIMITS = {"memory_bytes": 1 << 32, "file_bytes": 1 << 20, "files": 100, "processes": 64, "cpu_s": 10}
_PROBE_TIMEOUT_S = 30


@dataclass(frozen=True)
class Offer:
    """One place where a parent could run, and what works there; a fault is a reason in words, or nothing.

    `prefix` is the command that leads there, `uid` the user that a child would be.
    """

    place: str
    prefix: tuple[str, ...]
    bubble: bool
    uid: int
    unreadable: str
    faults: Mapping[str, str]
    landlock: int

    def fault(self, line: str) -> str:
        """Why a line of defence does not work here."""
        return self.faults[line]


@functools.cache
def probe() -> tuple[Offer, ...]:
    """Every place, the strongest first. It takes a tenth of a second for each."""
    return tuple(try_place(*place) for place in places())


def places() -> list[tuple[str, tuple[str, ...], bool, int]]:
    """(name, command, whether it is bubblewrap, user) of the places that may work."""
    root, bwrap = os.getuid() == 0, shutil.which("bwrap")
    found: list[tuple[str, tuple[str, ...], bool, int]] = []
    if bwrap and root:
        command = bubble.bubblewrap_command(bwrap, by_root=True)
        found.append(("bubblewrap by root, stepping down", command, True, bubble.SANDBOX_UID))
    if bwrap:
        found.append(("bubblewrap", bubble.bubblewrap_command(bwrap, by_root=False), True, 0))
    if not bubble.hides_course(bubble.SYSTEM):
        return found  # the course lies among the folders that Landlock would have to leave open
    if root:
        found.append(("no bubblewrap, stepping down", (), False, bubble.SANDBOX_UID))
    return [*found, ("no bubblewrap", (), False, 0)]


def try_place(place: str, prefix: tuple[str, ...], inside: bool, uid: int) -> Offer:
    """What works in one place."""
    encoded = {line: base64.b64encode(program).decode() for line, program in filters(version()).items()}
    settings = {**_PROBE_LIMITS, "packages": bubble.packages_path(inside), "readable": bubble.readable_paths(inside)}
    settings["filters"] = {NAMESPACES: "", FILTERS: "", **encoded}
    command = [*prefix, *bubble.interpreter("inside.offers"), str(uid), json.dumps(settings)]
    with tempfile.TemporaryDirectory(prefix="course-probe-") as folder:
        if uid and not inside:
            os.chown(folder, uid, uid)
        environment = bubble.environment(folder) | {"PYTHONPATH": bubble.python_path(inside)}
        try:
            run = subprocess.run(command, env=environment, cwd=folder, capture_output=True, timeout=_PROBE_TIMEOUT_S)
            told = json.loads(run.stdout)
        except (OSError, subprocess.TimeoutExpired, ValueError) as error:
            reason = last_line(run.stderr) if isinstance(error, ValueError) else f"{type(error).__name__}"
            return Offer(place, prefix, inside, uid, "", dict.fromkeys((NAMESPACES, FILTERS), reason), 0)
    faults = {line: str(told[line]) for line in (NAMESPACES, FILTERS)}
    return Offer(place, prefix, inside, uid, str(told["unreadable"]), faults, int(told["landlock"]))


def last_line(text: bytes) -> str:
    """The last line of what a program said, or that it said nothing."""
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it could not be started"


def filters(landlock: int) -> dict[str, bytes]:
    """The program of each line of defence; none where libseccomp is missing."""
    try:
        return {
            NAMESPACES: seccomp.compiled(others_in_sight=False),
            FILTERS: seccomp.compiled(others_in_sight=True, signals_scoped=landlock >= SIGNALS_SINCE),
        }
    except seccomp.NoFilter:
        return {}
