"""The trusted side's handle on a warm parent, and on the one child that lives in it at a time."""

from __future__ import annotations

import array
import contextlib
import json
import os
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import Any

from grading.limits import Limits
from grading.sandbox.inside.processes import remove_folder
from grading.sandbox.launch import Launch, start_process
from grading.student import TransportFault


class SandboxFault(TransportFault):
    """The sandbox itself failed: our fault or the machine's, never a student's."""


class Starved(TransportFault):
    """The machine was too busy for a time limit to mean anything: no one's fault, and to be tried again when it is not."""


@dataclass(frozen=True)
class Usage:
    """What a child has used: processor seconds, seconds it waited for a processor, the moment; and what it has now, threads
    and bytes of memory, with all that it started."""

    cpu_s: float
    waited_s: float
    at_s: float
    threads: int = 1
    memory_bytes: int = 0


class WarmParent:
    """Starts children, signals them, measures them, ends them. A context manager; closing it ends the parent."""

    def __init__(self, launch: Launch, start_timeout_s: float = 120.0) -> None:
        self.launch = launch
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._scratch = tempfile.mkdtemp(prefix="course-")
        with theirs:
            self._process: subprocess.Popen[bytes] = start_process(launch, theirs.fileno(), self._scratch)
        self._control = ours
        self._control.settimeout(start_timeout_s)
        try:
            self._receive()
        except SandboxFault:
            self.close()
            raise
        self._control.settimeout(30.0)

    def __enter__(self) -> WarmParent:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process that was started for it."""
        return self._process.pid

    def close(self) -> None:
        """End the parent and whatever child it has."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        remove_folder(self._scratch)

    def start_child(self, limits: Limits) -> Child:
        """A new child, connected. Raises SandboxFault."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(2)]
        given = [theirs.fileno(), *(write_end for _, write_end in pipes)]
        order = {"verb": "start", "settings": child_settings(limits, self.launch)}
        try:
            started = self._order(order, given)
        except SandboxFault:
            ours.close()
            for read_end, _ in pipes:
                os.close(read_end)
            raise
        finally:
            theirs.close()
            for _, write_end in pipes:
                os.close(write_end)
        return Child(self, started["child"], started["folder"], ours, tuple(read_end for read_end, _ in pipes))

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to a child; one that has gone already is no error."""
        with contextlib.suppress(SandboxFault):
            self._order({"verb": "signal", "child": pid, "signal": int(number)})

    def usage(self, pid: int) -> Usage:
        """What a child has used so far."""
        found = self._order({"verb": "usage", "child": pid})
        return Usage(at_s=time.monotonic(), **found)

    def written(self, folder: str) -> tuple[int, int]:
        """Bytes and files in a child's folder."""
        found = self._order({"verb": "written", "folder": folder})
        return found["bytes"], found["files"]

    def end(self, pid: int, folder: str, patience_s: float = 0.0) -> int | None:
        """End a child and reap it; its exit code, or minus a signal, if it ends by itself within `patience_s`, else None."""
        order = {"verb": "end", "child": pid, "folder": folder, "patience_s": patience_s}
        code: int | None = self._order(order)["code"]
        return code

    def _order(self, order: dict[str, Any], descriptors: list[int] | None = None) -> dict[str, Any]:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        try:
            self._control.sendmsg([json.dumps(order).encode()], rights)
        except OSError as error:
            raise SandboxFault(f"the sandbox's parent has gone: {error}") from error
        return self._receive()

    def _receive(self) -> dict[str, Any]:
        try:
            text = self._control.recv(65_536)
        except OSError as error:
            raise SandboxFault(f"the sandbox's parent does not answer: {error}") from error
        if not text:
            raise SandboxFault("the sandbox's parent ended; its messages are above")
        reply: dict[str, Any] = json.loads(text)
        if "failed" in reply:
            raise SandboxFault(f"the sandbox's parent could not {reply['failed']}")
        return reply


class Child:
    """One child: its socket, the read ends of its pipes, its pid as the parent knows it, and its folder if it has one on disk."""

    def __init__(self, parent: WarmParent, pid: int, folder: str, connection: socket.socket, pipes: tuple[int, ...]) -> None:
        self.parent, self.pid, self.folder, self.connection, self.pipes = parent, pid, folder, connection, pipes
        self._ended = False
        connection.setblocking(False)
        for pipe in pipes:
            os.set_blocking(pipe, False)

    def usage(self) -> Usage:
        """What it has used so far."""
        return self.parent.usage(self.pid)

    def written(self) -> tuple[int, int]:
        """Bytes and files that it has written where no tmpfs bounds them."""
        return self.parent.written(self.folder) if self.folder else (0, 0)

    def end(self, patience_s: float = 0.0) -> int | None:
        """Close everything and make sure that nothing of the child is left; a second call, as after a fault, does nothing."""
        if self._ended:
            return None
        self._ended = True
        try:
            return self.parent.end(self.pid, self.folder, patience_s)
        finally:
            self.connection.close()
            for pipe in self.pipes:
                os.close(pipe)


def child_settings(limits: Limits, launch: Launch) -> dict[str, Any]:
    """What a child is told about its limits and its line of defence."""
    kernel = {name: getattr(limits, name) for name in ("memory_bytes", "file_bytes", "files", "processes")}
    return {**kernel, "cpu_s": limits.submission_cpu_s, **launch.child_settings()}
