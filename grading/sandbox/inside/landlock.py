"""Landlock: which files a process and all that it starts may open, and whom it may signal, without any namespace.

Source: the kernel's documentation, userspace-api/landlock. What Landlock does not judge (stat, chmod, chown, times, sockets by
path) is left to the filter of system calls.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

from .kernel import LIBC, SetupFailed

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_FIRST_THIRTEEN = (1 << 13) - 1
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE  # the rest means folders, and is refused for files
_SINCE = {2: _REFER, 3: _TRUNCATE, 5: _IOCTL_DEVICE}  # the version of the interface that brought each
_TCP, _TCP_SINCE = 0b11, 4  # bind and connect
_SCOPES, SIGNALS_SINCE = 0b11, 6  # abstract sockets and signals


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def version() -> int:
    """The version of the kernel's Landlock interface; 0 where there is none."""
    return max(0, int(LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)))


def restrict(readable: Iterable[str], writable: str) -> None:
    """From now on: read and execute beneath some paths, everything in one folder, nothing else. Raises SetupFailed.

    Paths that do not exist are left out. no_new_privs must be set. Descriptors that are open stay as they are.
    """
    known = version()
    if not known:
        raise SetupFailed("the kernel has no Landlock")
    files = _FIRST_THIRTEEN | sum(right for since, right in _SINCE.items() if known >= since)
    wanted = _Ruleset(files, _TCP if known >= _TCP_SINCE else 0, _SCOPES if known >= SIGNALS_SINCE else 0)
    size = 24 if known >= SIGNALS_SINCE else 16 if known >= _TCP_SINCE else 8
    ruleset = _checked(LIBC.syscall(_CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), 0))
    for path in readable:
        _allow(ruleset, path, files & (_EXECUTE | _READ_FILE | _READ_DIR))
    _allow(ruleset, os.devnull, files & (_WRITE_FILE | _READ_FILE))
    _allow(ruleset, writable, files)
    _checked(LIBC.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rule = _PathRule(rights if os.path.isdir(path) else rights & _OF_FILES, descriptor)
    _checked(LIBC.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0))
    os.close(descriptor)


def _checked(result: int) -> int:
    if result < 0:
        raise SetupFailed(f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result
