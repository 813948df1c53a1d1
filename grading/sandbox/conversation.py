"""One exchange with a child: send a frame, gather what it shows and prints, watch the clock, return its reply."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grading.limits import Limits
from grading.sandbox.inside.codec import pack
from grading.sandbox.warm import Child, Starved, Usage
from grading.wire import Bounds, Frame, FrameReader, WireError

_TICK_S = 0.05
_BRIEF_S = 0.002  # to start sixty threads takes longer
_CEILING = 10  # of a wall limit: beyond it a machine is too busy to measure anybody
_STREAMS = ("stdout", "stderr")
_DISPLAY_BYTES = 50  # what a display counts for beside its text, so that empty ones have an end too


class ChildGone(Exception):
    """The child ended, or had to be ended; the message says how, in words for the student."""


def plain_text(text: str) -> str:
    """Text without lone surrogates, which JSON can carry and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def rank(stream: str) -> int:
    """The place of a stream between two displays."""
    return _STREAMS.index(stream)


@dataclass
class Outputs:
    """What a cell showed, in order; text beyond the bound is counted and dropped."""

    limit_bytes: int
    items: list[dict[str, Any]] = field(default_factory=list)
    kept_bytes: int = 0
    dropped_bytes: int = 0
    heard: Callable[[bytes], None] | None = None  # told of standard output as it comes

    def text(self, stream: str, data: bytes) -> None:
        """Add printed text: between two displays all of standard output, then all of the errors, for which of two pipes is read
        first depends on how busy the machine is."""
        if self.heard is not None and stream == "stdout":
            self.heard(data)
        room = max(0, self.limit_bytes - self.kept_bytes)
        kept, self.dropped_bytes = data[:room], self.dropped_bytes + len(data) - len(data[:room])
        self.kept_bytes += len(kept)
        if not kept:
            return
        at = len(self.items)
        while at and "stream" in self.items[at - 1] and rank(self.items[at - 1]["stream"]) >= rank(stream):
            at -= 1
        if at < len(self.items) and self.items[at]["stream"] == stream:
            self.items[at]["data"] += kept
        else:
            self.items.insert(at, {"stream": stream, "data": bytearray(kept)})

    def event(self, kind: str, event: dict[str, Any]) -> None:
        """Add a display or a result, as text by mime type."""
        data = event.get("data")
        if not isinstance(data, dict) or not all(isinstance(v, str) for v in data.values()):
            raise WireError("a display without text")
        data = {plain_text(kind): plain_text(text) for kind, text in data.items()}
        size = _DISPLAY_BYTES + sum(len(kind) + len(v) for kind, v in data.items())
        if self.kept_bytes + size > self.limit_bytes:
            self.dropped_bytes += size
            return
        self.kept_bytes += size
        self.items.append({"event": kind, "data": data})


@dataclass(frozen=True)
class Spent:
    """Processor seconds and wall seconds that were used. Time spent waiting for a processor is not the student's, so that
    `wall_s` leaves it out; `elapsed_s` is the clock on the wall."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    elapsed_s: float = 0.0

    @staticmethod
    def between(start: Usage, now: Usage) -> Spent:
        """What was used from one moment to another."""
        elapsed_s = now.at_s - start.at_s
        return Spent(now.cpu_s - start.cpu_s, elapsed_s - (now.waited_s - start.waited_s), elapsed_s)


@dataclass(frozen=True)
class Budget:
    """Time for one exchange or one check: processor seconds and wall seconds, counted from a moment of the child's life."""

    start: Usage
    cpu_s: float
    wall_s: float

    def used_up(self, now: Usage) -> str:
        """Which limit is reached, in words, or nothing."""
        used = Spent.between(self.start, now)
        if used.cpu_s > self.cpu_s:
            return f"more than {self.cpu_s:g} s of processor time"
        return f"more than {self.wall_s:g} s" if used.wall_s > self.wall_s else ""

    def starved(self, now: Usage) -> bool:
        """Whether far more time has gone by than may be used, nearly all of it spent waiting for a processor."""
        return Spent.between(self.start, now).elapsed_s > _CEILING * self.wall_s


@dataclass(frozen=True)
class Answer:
    """The child's reply; `stopped` says which time limit interrupted the work, if one did."""

    frame: Frame
    stopped: str = ""


class Conversation:
    """Talks to one child. Raises ChildGone when there is no more child to talk to, Starved when the machine is too busy.

    `spent` is what the notebook has used in all, in this child and in those before it, when it was last measured.
    """

    def __init__(self, child: Child, limits: Limits, earlier: Spent) -> None:
        self.child, self.limits, self.spent = child, limits, earlier
        self._last: Usage | None = None
        self._reader = FrameReader(Bounds())
        self._printed_bytes = 0
        self._ready = False  # whether the child has said that it is harmless; from then on, what it says is the student's

    def budget(self, cpu_s: float, wall_s: float) -> Budget:
        """A budget that starts now, or at the last measurement where that is at most two ticks old: asking costs time too."""
        fresh = self._last is not None and time.monotonic() - self._last.at_s < 2 * _TICK_S
        return Budget(self._last if fresh and self._last else self._measure(), cpu_s, wall_s)

    def _measure(self) -> Usage:
        usage = self.child.usage()
        step = Spent.between(self._last or Usage(0.0, usage.waited_s, usage.at_s), usage)
        # A process that ends unseen takes its times with it: nothing that was spent comes back.
        before = self.spent
        self.spent = Spent(
            before.cpu_s + max(0.0, step.cpu_s), before.wall_s + max(0.0, step.wall_s), before.elapsed_s + step.elapsed_s
        )
        self._last = usage
        return usage

    def _used_up(self, budget: Budget) -> str:
        now, limits = self._measure(), self.limits
        self._bound_held(now)
        self._bound_files()
        if self.spent.cpu_s > limits.submission_cpu_s:
            return f"more than {limits.submission_cpu_s:g} s of processor time for the whole notebook"
        if self.spent.wall_s > limits.submission_wall_s:
            return f"more than {limits.submission_wall_s:g} s for the whole notebook"
        used_up = budget.used_up(now)
        if not used_up and (budget.starved(now) or self.spent.elapsed_s > _CEILING * limits.submission_wall_s):
            self.child.end()
            raise Starved("it had to wait for a processor for too long; the machine is too busy")
        return used_up

    def _bound_held(self, now: Usage) -> None:
        limits = self.limits
        if now.threads >= limits.processes:  # the kernel lets nobody have more, save root under its own number
            raise self.gone(f"it ran {limits.processes} processes and threads at a time, the most that there may be")
        if now.memory_bytes > limits.memory_bytes:  # the kernel bounds each process, not their sum
            raise self.gone(f"its processes held more than {limits.memory_bytes} bytes of memory")

    def _bound_left(self, started_s: float, failed: bool) -> None:
        """Look at once at what a cell has left behind, for the next cell would be blamed for it.

        To look costs as much as most cells take; one that succeeded so soon has not had the time to leave much.
        """
        self._bound_files()
        if failed or time.monotonic() - started_s > _BRIEF_S:
            self._bound_held(self._measure())

    def _bound_files(self) -> None:
        written_bytes, files = self.child.written()
        # Twice: a file that has reached its own limit was refused more, and need not end the child as well.
        if written_bytes > 2 * self.limits.file_bytes or files > self.limits.files:
            raise self.gone(f"it wrote more than {2 * self.limits.file_bytes} bytes or {self.limits.files} files")

    def exchange(self, header: dict[str, Any], blob: bytes, budget: Budget, outputs: Outputs) -> Answer:
        """Send one request and wait for its reply, as long as the budget lasts and a little longer."""
        pending = memoryview(pack(header, blob))
        stopped, deadline, started_s = "", float("inf"), time.monotonic()
        while True:
            pending = self._wait(pending, outputs)
            frame = self._next_reply(outputs)
            if frame is not None:
                self._read_pipes(outputs)
                if header["verb"] == "run":
                    self._bound_left(started_s, bool(frame.header.get("error")))
                return Answer(frame, stopped)
            now = time.monotonic()
            if now > deadline:
                raise self.gone(f"it used {stopped} and could not be interrupted")
            if not stopped and now - budget.start.at_s > 2 * _TICK_S:
                stopped = self._used_up(budget)
                if stopped:
                    self.child.parent.signal(self.child.pid, signal.SIGINT)
                    deadline = now + self.limits.grace_s

    def send(self, header: dict[str, Any], blob: bytes) -> None:
        """Send a frame that has no reply."""
        pending = memoryview(pack(header, blob))
        while pending:
            pending = self._wait(pending, Outputs(0))

    def gone(self, reason: str = "") -> ChildGone:
        """End the child, and say how it came to that."""
        code = self.child.end(0.0 if reason else self.limits.grace_s)
        return ChildGone(reason or how_it_ended(code))

    def _wait(self, pending: memoryview, outputs: Outputs) -> memoryview:
        """Sleep until something can be read or written, at most a tick; move what can be moved."""
        connection = self.child.connection
        socket_number = connection.fileno()
        writers = [socket_number] if pending else []
        readable, writable, _ = select.select([socket_number, *self.child.pipes], writers, [], _TICK_S)
        if any(pipe in readable for pipe in self.child.pipes):
            self._read_pipes(outputs)
        try:
            if writable:
                pending = pending[connection.send(pending[: 1 << 20]) :]
            if socket_number in readable:
                data = connection.recv(max(1, min(self._reader.missing(), 1 << 20)))
                if not data:
                    raise self.gone()
                self._reader.feed(data)
        except OSError:
            self._read_pipes(outputs)
            raise self.gone() from None
        except WireError as error:
            raise self.gone(f"it wrote to the grader's pipe ({error})") from error
        return pending

    def _next_reply(self, outputs: Outputs) -> Frame | None:
        """The frame that has come, if it is a reply. A display is put among the outputs: `_wait` has read what was printed before
        it, and the child prints nothing more until it has been read."""
        try:
            frame = self._reader.take()
            if frame is None:
                return None
            kind = frame.header.get("event")
            if not self._ready:
                self._begin(kind, frame)
            elif kind == "reply":
                return frame
            elif kind in ("display", "result"):
                outputs.event(kind, frame.header)
            elif kind != "clear":
                raise WireError("an event of an unknown kind")
        except WireError as error:
            raise self.gone(f"it wrote to the grader's pipe ({error})") from error
        return None

    def _begin(self, kind: Any, frame: Frame) -> None:
        if kind != "ready":
            raise SetupFault(str(frame.header.get("reason"))[:500])
        self._ready = True

    def _read_pipes(self, outputs: Outputs) -> None:
        """Read what has been printed, without waiting; drop what is too much, and end a child that never stops."""
        for stream, pipe in zip(_STREAMS, self.child.pipes, strict=True):
            for _ in range(64):  # then look at the clock again
                try:
                    data = os.read(pipe, 1 << 16)
                except BlockingIOError:
                    break
                if not data:
                    break
                self._printed_bytes += len(data)
                outputs.text(stream, data)
        if self._printed_bytes > self.limits.output_bytes:
            raise self.gone(f"it printed more than {self.limits.output_bytes} bytes")


class SetupFault(Exception):
    """A child could not set up its own cage; no student code has run."""


def how_it_ended(code: int | None) -> str:
    """An exit code in words."""
    if code is None:
        return "it closed the connection to the grader"
    if code >= 0:
        return f"it ended the process with exit status {code}"
    try:
        return f"the process was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the process was ended by signal {-code}"
