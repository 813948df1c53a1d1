"""How a child makes itself harmless before it reads a submission: with namespaces, or with Landlock and a filter of calls.

The settings come from the trusted side (`grading/sandbox/warm.py`); `line` says which of the two, or neither.
"""

from __future__ import annotations

import base64
import ctypes
import os
import resource
import tempfile
from contextlib import suppress
from typing import Any

from . import landlock
from .kernel import LIBC, SetupFailed, drop_rights, filter_calls

NAMESPACES, FILTERS, NONE = "namespaces", "filters", "none"
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_FOLDER_VARIABLES = ("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR", "TORCHINDUCTOR_CACHE_DIR")


def enter(settings: dict[str, Any]) -> None:
    """Everything between a fork and the first cell, in the only order that works. Raises SetupFailed and OSError."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory runs out, the kernel ends student code before the grader
    os.setsid()  # a group of processes reaches across namespaces: kill(0, 9) would end the parent
    if settings["line"] == NAMESPACES:
        map_ids(*settings["ids"])
        cover_folders(settings["file_bytes"], settings["files"])
        cover_processes()
        limit(settings, settings["processes"])
    else:
        settle(settings["folder"])
        limit(settings, settings["processes"] + tasks_of(os.getuid()))
    drop_rights()
    if settings["line"] == FILTERS:
        landlock.restrict(settings["readable"], settings["folder"])
    if settings["filter"]:
        filter_calls(base64.b64decode(settings["filter"]))


def map_ids(uid: int, gid: int) -> None:
    """Be the same user in the new namespace as outside; without a map every file operation fails."""
    for name, line in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(descriptor, line.encode())
        os.close(descriptor)
    if (os.getuid(), os.getgid()) != (uid, gid):
        raise SetupFailed("the user and group are not mapped")


def cover_folders(most_bytes: int, most_files: int) -> None:
    """A small private tmpfs over each folder that can be written; it goes when the child goes."""
    mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    if os.path.isdir("/dev/pts"):  # a terminal's times could be set, and would stay
        mount("tmpfs", "/dev/pts", "tmpfs", _MS_RDONLY, "size=4096")
    for folder in ("/tmp", "/dev/shm"):
        if os.path.isdir(folder):
            mount("tmpfs", folder, "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={most_bytes},mode=1777,nr_inodes={most_files}")
    os.makedirs("/tmp/work")
    os.chdir("/tmp/work")


def cover_processes() -> None:
    """Of /proc nothing but the child's own folder: the mount belongs to the parent's namespace, and names its processes."""
    own = f"/proc/{os.readlink('/proc/self')}"
    place = "/tmp/own"
    os.mkdir(place)
    mount(own, place, None, _MS_BIND)
    mount("tmpfs", "/proc", "tmpfs", _MS_NOSUID | _MS_NODEV, "size=4096,mode=555,nr_inodes=8")
    os.mkdir("/proc/self")
    mount(place, "/proc/self", None, _MS_BIND)
    mount("none", "/proc", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)
    if LIBC.umount2(place.encode(), 2) != 0:
        raise SetupFailed(f"umount {place}: {os.strerror(ctypes.get_errno())}")
    os.rmdir(place)


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2). Raises SetupFailed."""
    names = [text if text is None else text.encode() for text in (source, target, kind, options)]
    if LIBC.mount(*names[:3], ctypes.c_ulong(flags), names[3]) != 0:
        raise SetupFailed(f"mount on {target}: {os.strerror(ctypes.get_errno())}")


def settle(folder: str) -> None:
    """Make the folder that the parent has made for this child the home of all that is written."""
    os.chdir(folder)
    os.environ.update(dict.fromkeys(_FOLDER_VARIABLES, folder))
    tempfile.tempdir = folder


def tasks_of(uid: int) -> int:
    """How many processes and threads of a user there are: the kernel counts them all against one limit."""
    count = 0
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.stat(f"/proc/{entry}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{entry}/task"))
            except OSError:
                continue
    return count


def limit(settings: dict[str, Any], tasks: int) -> None:
    """Hard limits of the kernel; time is the parent's to watch, the hard RLIMIT_CPU stands behind it."""
    for kind, value in (
        (resource.RLIMIT_AS, settings["memory_bytes"]),
        (resource.RLIMIT_FSIZE, settings["file_bytes"]),
        (resource.RLIMIT_NPROC, tasks),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, int(settings["cpu_s"]) + 5),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
