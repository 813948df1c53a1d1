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
from grading.sandbox.bubble import Launch, start_process
from grading.student import TransportFault


class SandboxFault(TransportFault):
    """The sandbox itself failed: our fault or the machine's, never a student's."""


@dataclass(frozen=True)
class Usage:
    """What a child has used: processor seconds, seconds it waited for a processor, the moment, and how many threads it has."""

    cpu_s: float
    waited_s: float
    at_s: float
    threads: int = 1


class WarmParent:
    """Starts children, signals them, measures them, ends them. A context manager; closing it ends the parent."""

    def __init__(self, launch: Launch, start_timeout_s: float = 120.0) -> None:
        self.launch = launch
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._scratch = tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True)
        with theirs:
            self._process: subprocess.Popen[bytes] = start_process(launch, theirs.fileno(), self._scratch.name)
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

    def close(self) -> None:
        """End the parent and whatever child it has."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._scratch.cleanup()

    def start_child(self, limits: Limits) -> Child:
        """A new child, connected. Raises SandboxFault."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(2)]
        given = [theirs.fileno(), *(write_end for _, write_end in pipes)]
        order = {"verb": "start", "settings": child_settings(limits, self.launch.namespaces)}
        try:
            pid = self._order(order, given)["child"]
        except SandboxFault:
            ours.close()
            for read_end, _ in pipes:
                os.close(read_end)
            raise
        finally:
            theirs.close()
            for _, write_end in pipes:
                os.close(write_end)
        return Child(self, pid, ours, tuple(read_end for read_end, _ in pipes))

    def signal(self, pid: int, number: int) -> None:
        """Send a signal to a child; one that has gone already is no error."""
        with contextlib.suppress(SandboxFault):
            self._order({"verb": "signal", "child": pid, "signal": int(number)})

    def usage(self, pid: int) -> Usage:
        """What a child has used so far."""
        found = self._order({"verb": "usage", "child": pid})
        return Usage(found["cpu_s"], found["waited_s"], time.monotonic(), found["threads"])

    def end(self, pid: int, patience_s: float = 0.0) -> int | None:
        """End a child and reap it; its exit code, or minus a signal, if it ends by itself within `patience_s`, else None."""
        code: int | None = self._order({"verb": "end", "child": pid, "patience_s": patience_s})["code"]
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
    """One child: its socket, the read ends of its two pipes, and its pid as the parent knows it."""

    def __init__(self, parent: WarmParent, pid: int, connection: socket.socket, pipes: tuple[int, ...]) -> None:
        self.parent, self.pid, self.connection, self.pipes = parent, pid, connection, pipes
        connection.setblocking(False)
        for pipe in pipes:
            os.set_blocking(pipe, False)

    def end(self, patience_s: float = 0.0) -> int | None:
        """Close everything and make sure that nothing of the child is left."""
        try:
            return self.parent.end(self.pid, patience_s)
        finally:
            self.connection.close()
            for pipe in self.pipes:
                os.close(pipe)


def child_settings(limits: Limits, namespaces: bool) -> dict[str, Any]:
    """What a child is told about its limits."""
    kernel = {name: getattr(limits, name) for name in ("memory_bytes", "file_bytes", "processes")}
    return {**kernel, "cpu_s": limits.submission_cpu_s, "scratch_bytes": limits.file_bytes, "namespaces": namespaces}
