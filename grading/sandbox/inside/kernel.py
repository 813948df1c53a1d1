"""Calls to the kernel that Python has no function for: rights, user ids, a filter of system calls, a clone into namespaces."""

from __future__ import annotations

import ctypes
import os
import signal

LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 4, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_CLONE_NAMESPACES = 0x10000000 | 0x00020000 | 0x20000000 | 0x08000000 | 0x40000000  # user, mount, pid, ipc, net
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine)


class SetupFailed(Exception):
    """A process could not be made harmless; no student code has run."""


def prctl(option: int, value: int) -> None:
    """prctl(2) with one argument. Raises SetupFailed."""
    if LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise SetupFailed(f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def become(uid: int) -> None:
    """Step down from root to an ordinary user and group of this number; anyone else, or 0, stays who they are."""
    if os.getuid() != 0 or uid == 0:
        return
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    prctl(_PR_SET_DUMPABLE, 1)  # or /proc/self would belong to root, and a child could not map its ids


def adopt_orphans() -> None:
    """What a child's processes leave behind becomes ours, so that it can be found and ended."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def drop_rights() -> None:
    """No new privileges, an empty bounding set, and no capability left in any set. Raises SetupFailed."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    for capability in range(64):
        LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused where there is nothing to drop
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    LIBC.capset(header, (ctypes.c_uint32 * 6)())
    if capabilities():
        raise SetupFailed("capabilities are left")


def capabilities() -> int:
    """The effective and permitted capabilities of this process, as one number; 0 is none."""
    header, data = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    if LIBC.capget(header, data) != 0:
        raise SetupFailed("capget")
    return int(data[0] | data[1] | data[3] | data[4])


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_calls(program: bytes) -> None:
    """Let a program judge every system call from now on; no_new_privs must be set. Raises SetupFailed."""
    instructions = ctypes.create_string_buffer(program, len(program))
    given = _Program(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p))
    if LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0) != 0:
        raise SetupFailed(f"seccomp: {os.strerror(ctypes.get_errno())}")


def clone() -> int:
    """fork(), but into new user, mount, process, IPC and network namespaces: one call instead of fork, unshare and fork.

    Raises OSError.
    """
    python = ctypes.PyDLL(None, use_errno=True)
    python.PyOS_BeforeFork()
    pid: int = python.syscall(_SYS_CLONE, _CLONE_NAMESPACES | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        python.PyOS_AfterFork_Child()
        return 0
    error = ctypes.get_errno()
    python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(error, os.strerror(error))
    return pid
