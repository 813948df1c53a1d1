"""The life of one child: make itself harmless, then run cells and answer questions until the socket closes."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import socket
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np
import torch

from . import cage
from .client import Client
from .codec import PREFIX, pack
from .figures import silent_figures
from .shell import Shell

_SEED = 6050


def live(connection: socket.socket, outputs: tuple[int, int], shell: Shell, settings: dict[str, Any]) -> None:
    """Everything a child does; called in the new process, never returns to the parent's code."""
    try:
        take_descriptors(connection, outputs)
        connection = socket.socket(fileno=3)
        reset_signals()
        cage.enter(settings)
        write_files(connection, settings)
        reseed()
        connection.sendall(pack({"event": "ready"}))
    except BaseException as error:
        with_reason = f"{type(error).__name__}: {error}"
        connection.sendall(pack({"event": "setup-failed", "reason": with_reason[:500]}))
        os._exit(70)
    serve(connection, shell)
    os._exit(0)


def take_descriptors(connection: socket.socket, outputs: tuple[int, int]) -> None:
    """0 is /dev/null, 1 and 2 the pipes, 3 the socket; every other descriptor is closed."""
    moved = [os.dup(fd) for fd in (os.open(os.devnull, os.O_RDONLY), *outputs, connection.fileno())]
    high = [_above(fd, 10) for fd in moved]
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=target < 3)
    os.closerange(4, 65_536)
    connection.detach()


def _above(fd: int, floor: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_DUPFD, floor)


def reset_signals() -> None:
    """Default dispositions whatever was inherited; SIGINT reaches student code only while it runs."""
    ignored = {signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ}  # the last two become errors of the write
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def write_files(connection: socket.socket, settings: dict[str, Any]) -> None:
    """Given and handed-in files, from the socket into the working folder, where a notebook finds its modules too."""
    header, blob = receive(connection)
    at = 0
    for name, size in header["files"]:
        path = os.path.join(os.getcwd(), os.path.basename(name))
        with open(path, "wb") as file:
            file.write(blob[at : at + size])
        at += size
    sys.path.insert(0, os.getcwd())


def reseed() -> None:
    """The same start for every submission."""
    random.seed(_SEED)
    np.random.seed(_SEED)
    # torch.manual_seed also keeps a traceback for devices that are not there, which takes a millisecond.
    torch.default_generator.manual_seed(_SEED)


def receive(connection: socket.socket) -> tuple[dict[str, Any], bytes]:
    """One frame. Ends the process where the other side has closed the socket."""
    header_size, blob_size = PREFIX.unpack(_exactly(connection, PREFIX.size))
    header = json.loads(_exactly(connection, header_size))
    return header, _exactly(connection, blob_size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), 1 << 20))
        if not part:
            os._exit(0)
        parts += part
    return bytes(parts)


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt here and nowhere else."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """SIGINT waits: half a frame would end the conversation."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def wait_until_read(connection: socket.socket, longest_s: float = 1.0) -> None:
    """Go on when the other side has read what was sent, so that text printed from now on comes after it."""
    unread, deadline = bytearray(4), time.monotonic() + longest_s
    while time.monotonic() < deadline:
        fcntl.ioctl(connection, termios.TIOCOUTQ, unread)
        if not any(unread):
            return
        time.sleep(0.0001)


def serve(connection: socket.socket, shell: Shell) -> None:
    """Run cells and answer questions, one at a time."""
    client = Client(shell.user_ns)

    def emit(event: dict[str, Any]) -> None:
        with uninterrupted():
            connection.sendall(pack(event))
            wait_until_read(connection)

    while True:
        request, blob = receive(connection)
        if request["verb"] == "run":
            reply, out = run(shell, client, request, emit), b""
        else:
            reply, out = ask(client, request, blob)
        connection.sendall(pack({"event": "reply", **reply}, out))


def run(shell: Shell, client: Client, request: dict[str, Any], emit: Any) -> dict[str, Any]:
    """Run one cell, then keep what its checks name."""
    try:
        with silent_figures() if request["given"] else nullcontext(), interruptible():
            reply = shell.run(request["source"], request["name"], emit)
    except BaseException as error:  # an interrupt that came between student code and the shell's own net
        reply = {"error": {"name": type(error).__name__, "message": "", "traceback": []}}
    if request["keep"] is not None:
        client.keep(request["cell"], request["keep"])
    return reply


def flush() -> None:
    """Let out what has been printed; a student may have put anything in the place of the streams."""
    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()


def ask(client: Client, request: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], bytes]:
    """Answer one question."""
    try:
        with interruptible():
            answer = client.answer(request, blob)
            flush()
            return answer
    except KeyboardInterrupt:
        return {"error": {"classes": ["KeyboardInterrupt"], "message": "", "where": None}}, b""
