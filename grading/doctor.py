"""What this machine offers to the course, and what to do about what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grading.course import Course, CourseError, course_secret
from grading.sandbox.inside.cage import FILTERS, NAMESPACES
from grading.sandbox.inside.landlock import SIGNALS_SINCE
from grading.sandbox.inside.landlock import version as landlock_version
from grading.sandbox.launch import choose_launch
from grading.sandbox.probe import Offer, filters, probe
from grading.sandbox.warm import SandboxFault, WarmParent

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


@dataclass(frozen=True)
class Advice:
    """One line of the doctor: what was looked at, whether it is well, what was found, what to do where it is not, and what a
    layer of the sandbox stops."""

    name: str
    well: bool
    found: str
    remedy: str = ""
    stops: str = ""


def examine(course: Course) -> list[Advice]:
    """Look at everything; nothing is changed."""
    offers = probe()
    layers = (_bubblewrap(), _namespaces(offers), _ordinary_user(offers), _landlock(offers), _seccomp(offers), _limits())
    return [_python(), _packages(), *layers, _warm_parent(), _secret(course), _folders(course)]


def _python() -> Advice:
    version = platform.python_version()
    return Advice("Python 3.11", sys.version_info[:2] == (3, 11), version, "remove .venv and install Python 3.11")


def _packages() -> Advice:
    lock = Path(__file__).resolve().parent.parent / "requirements.lock"
    wanted = dict(line.split("==") for line in lock.read_text().splitlines() if "==" in line and not line.startswith("#"))
    off = []
    for name, version in wanted.items():
        try:
            found = importlib.metadata.version(name).split("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found = "missing"
        if found != version.strip():
            off.append(f"{name} {found}, not {version.strip()}")
    return Advice(
        "packages of the lock",
        not off,
        ", ".join(off[:5]) or f"all {len(wanted)}",
        "remove .venv; the next command makes it anew",
    )


def _bubblewrap() -> Advice:
    found = shutil.which("bwrap")
    stops = "a look at the course's files, the network, other programs, whatever would outlive a run"
    return Advice("bubblewrap", found is not None, found or "not found", "apt-get install bubblewrap", stops)


def _namespaces(offers: Sequence[Offer]) -> Advice:
    stops = "traces for the next submission, a look at or a signal to any other process, harm to the sandbox itself"
    tried = [offer.fault(NAMESPACES) for offer in offers if offer.bubble]
    if "" in tried:
        return Advice("user namespaces", True, "a child gets namespaces of its own", stops=stops)
    remedy = "ask for a kernel with user namespaces (user.max_user_namespaces above 0)"
    if _APPARMOR.is_file() and _APPARMOR.read_text().strip() == "1":
        setting = "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap that says `userns,`"
        remedy = f"AppArmor forbids them to programs without a profile (Ubuntu 23.10 and later): {setting}"
    found = tried[0] if tried else "not tried: there is no bubblewrap"
    return Advice("user namespaces", False, found, f"{remedy}; until then the second line of defence is used", stops)


def _ordinary_user(offers: Sequence[Offer]) -> Advice:
    stops = "more processes than a limit says, and whatever root alone may do"
    if os.getuid() != 0:
        return Advice("ordinary user", True, f"student code runs as user {os.getuid()}", stops=stops)
    users = [offer for offer in offers if offer.uid]
    works = [o for o in users if not o.unreadable and "" in (o.fault(NAMESPACES), o.fault(FILTERS))]
    if works:
        return Advice("ordinary user", True, f"root steps down to user {works[0].uid}", stops=stops)
    reason = next((o.unreadable or o.fault(NAMESPACES) for o in users), "")
    found = f"student code keeps root's number, without its rights; processes are counted instead ({reason})"
    return Advice("ordinary user", True, found, stops=stops)


def _landlock(offers: Sequence[Offer]) -> Advice:
    stops = "files outside one folder" + (", signals to other processes" if landlock_version() >= SIGNALS_SINCE else "")
    needed = not _first_line(offers)
    found = f"version {landlock_version()}" if landlock_version() else "the kernel has none"
    remedy = "ask for a kernel of 5.13 or later with Landlock among its security modules (lsm=...,landlock)"
    return Advice("Landlock", bool(landlock_version()) or not needed, found + _need(needed), remedy, stops)


def _seccomp(offers: Sequence[Offer]) -> Advice:
    stops = "sockets, new namespaces, mounts, other processes' memory, modes and owners of files"
    there, needed = bool(filters(landlock_version())), not _first_line(offers)
    found = "libseccomp compiles the filter" if there else "libseccomp is missing"
    return Advice("seccomp", there or not needed, found + _need(needed), "apt-get install libseccomp2", stops)


def _first_line(offers: Sequence[Offer]) -> bool:
    return any(o.bubble and not o.unreadable and not o.fault(NAMESPACES) for o in offers)


def _need(needed: bool) -> str:
    return "" if needed else " (the second line of defence: not needed here)"


def _limits() -> Advice:
    stops = "too much memory, output, time and files; a full disk too, without namespaces only as far as it is seen in time"
    return Advice("limits", True, "the kernel's, and a clock outside", stops=stops)


def _warm_parent() -> Advice:
    launch = choose_launch()
    remedy = "see the lines above; scoring needs --trust-students until then"
    try:
        with WarmParent(launch):
            return Advice("sandbox", launch.sandboxed, launch.description, remedy)
    except SandboxFault as error:
        return Advice("sandbox", False, str(error), "can the interpreter and its packages be read by every user?")


def _secret(course: Course) -> Advice:
    path = course.root / ".course_secret"
    try:
        course_secret(course)
        mode = path.stat().st_mode & 0o777
    except (CourseError, OSError) as error:
        return Advice("course secret", False, str(error), "restore it from your backup")
    return Advice("course secret", mode == 0o600, f"mode {mode:o}", "chmod 600 .course_secret")


def _folders(course: Course) -> Advice:
    unwritable = [str(p.name) for p in (course.run_root, course.autograded) if p.exists() and not os.access(p, os.W_OK)]
    return Advice(
        "folders",
        not unwritable,
        "can be written" if not unwritable else f"not writable: {', '.join(unwritable)}",
        "check their owner",
    )
