"""What this machine offers to the course, and what to do about what is missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grading.course import Course, CourseError, course_secret
from grading.sandbox.bubble import bubblewrap_works, choose_launch
from grading.sandbox.warm import SandboxFault, WarmParent

_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


@dataclass(frozen=True)
class Advice:
    """One line of the doctor: what was looked at, whether it is well, what was found, and what to do where it is not."""

    name: str
    well: bool
    found: str
    remedy: str = ""


def examine(course: Course) -> list[Advice]:
    """Look at everything; nothing is changed."""
    looks: tuple[Callable[[], Advice], ...] = (_python, _packages, _bubblewrap, _namespaces, _warm_parent)
    return [*(look() for look in looks), _secret(course), _folders(course)]


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
    return Advice("bubblewrap", found is not None, found or "not found", "apt-get install bubblewrap")


def _namespaces() -> Advice:
    if bubblewrap_works():
        return Advice("user namespaces", True, "bubblewrap can make a sandbox")
    remedy = "ask for a kernel with user namespaces (user.max_user_namespaces above 0), or score with --trust-students"
    if _APPARMOR.is_file() and _APPARMOR.read_text().strip() == "1":
        setting = "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        remedy = f"AppArmor forbids them to programs without a profile (Ubuntu 23.10 and later): {setting}"
    return Advice("user namespaces", False, "bubblewrap cannot make a sandbox here", remedy)


def _warm_parent() -> Advice:
    launch = choose_launch()
    try:
        with WarmParent(launch):
            return Advice(
                "sandbox", launch.namespaces, launch.description, "see the lines above; scoring needs --trust-students until then"
            )
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
