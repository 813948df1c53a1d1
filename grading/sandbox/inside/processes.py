"""Processes beneath the warm parent: what they use, and how to be rid of them. One child lives at a time, so all are its."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from typing import Any

_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
_PATIENCE_S = 20.0


def descendants(ancestor: int) -> dict[int, list[bytes]]:
    """The processes that come from one, with the fields of their /proc/PID/stat from the state on."""
    found: dict[int, list[bytes]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", "rb") as file:
                    found[int(entry)] = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
    family, children = {ancestor}, {pid: int(fields[1]) for pid, fields in found.items() if len(fields) > 1}
    while more := {pid for pid, above in children.items() if above in family} - family:
        family |= more
    return {pid: found[pid] for pid in family - {ancestor}}


def usage(child: int) -> dict[str, Any]:
    """Of all that a child runs: processor seconds (with those of processes that ended), the number of threads, and bytes of
    memory beyond what this process shares with it; and the seconds that the child itself waited for a processor, for
    processes that it starts only to have them wait must not hold its clock back."""
    found, own, waited_s = descendants(os.getpid()), private_bytes(os.getpid()), 0.0
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{child}/schedstat", "rb") as file:
        waited_s = int(file.read().split()[1]) / 1e9
    return {
        "cpu_s": sum(int(n) for fields in found.values() for n in fields[11:15]) / _TICKS,
        "waited_s": waited_s,
        "threads": sum(int(fields[17]) for fields in found.values()),
        "memory_bytes": sum(max(0, private_bytes(pid) - own) for pid in found),
    }


def private_bytes(pid: int) -> int:
    """Memory of a process that is no file's; 0 for one that has gone."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        fields = file.read().split()
        return (int(fields[1]) - int(fields[2])) * _PAGE
    return 0


def folder_size(folder: str, most_files: int = 200_000) -> tuple[int, int]:
    """Bytes on disk and number of files beneath a folder; it stops counting beyond `most_files`."""
    size, files, folders = 0, 0, [folder]
    while folders and files < most_files:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                files += 1
                with contextlib.suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    return size, files


def end(pid: int, patience_s: float) -> int | None:
    """Make sure that a child and everything it started are gone; its exit code, or minus a signal's number, where it ended by
    itself within `patience_s`, else None. Raises OSError where something cannot be ended.

    A child whose socket has closed may take some milliseconds to be gone.
    """
    deadline = time.monotonic() + patience_s
    done, status = os.waitpid(pid, os.WNOHANG)
    while done == 0 and time.monotonic() < deadline:
        time.sleep(0.002)
        done, status = os.waitpid(pid, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # at once for all that have not left the child's group
    end_all()
    return os.waitstatus_to_exitcode(status) if done else None


def end_all() -> None:
    """End everything beneath this process: stopped first, so that nothing can fork away, then killed. Raises OSError."""
    deadline = time.monotonic() + _PATIENCE_S
    while (found := descendants(os.getpid())) and time.monotonic() < deadline:
        stopped: set[int] = set()
        while new := found.keys() - stopped:
            send(new, signal.SIGSTOP)
            stopped |= new
            found = descendants(os.getpid())
        send(stopped, signal.SIGKILL)
        reap(deadline)
    if found:
        raise OSError(0, "a submission's processes cannot be ended")


def send(pids: set[int], number: int) -> None:
    """A signal to each; one that has gone already is no error."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def reap(deadline: float) -> None:
    """Wait for what has been killed, ours by birth or as orphans."""
    while time.monotonic() < deadline:
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not done:
            time.sleep(0.001)


def remove_folder(folder: str) -> None:
    """Remove a tree that a student has made, however deep, and whatever its modes."""
    subprocess.run(["/bin/rm", "-rf", "--", folder], capture_output=True)
    if os.path.lexists(folder):
        subprocess.run(["/bin/chmod", "-R", "u+rwx", "--", folder], capture_output=True)
        subprocess.run(["/bin/rm", "-rf", "--", folder], capture_output=True)
