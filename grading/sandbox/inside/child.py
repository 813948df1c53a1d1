"""The life of one child: make itself harmless, then run cells and answer questions until the socket closes."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import random
import resource
import signal
import socket
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import torch

from .client import Client
from .codec import PREFIX, pack
from .shell import Shell

_SEED = 6050
_PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP, _PR_SET_DUMPABLE = 38, 24, 4
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 2, 4, 16384, 1 << 18
_LIBC = ctypes.CDLL(None, use_errno=True)


class SetupFailed(Exception):
    """The child could not be made harmless; it ends before it reads a cell."""


def live(connection: socket.socket, outputs: tuple[int, int], shell: Shell, settings: dict[str, Any]) -> None:
    """Everything a child does; called in the new process, never returns to the parent's code."""
    try:
        take_descriptors(connection, outputs)
        connection = socket.socket(fileno=3)
        reset_signals()
        if settings["namespaces"]:
            map_ids(*settings["ids"])
            cover_folders(settings["scratch_bytes"])
        else:
            os.chdir(tempfile.mkdtemp(dir=os.getcwd()))
        limit(settings)
        drop_rights()
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


def map_ids(uid: int, gid: int) -> None:
    """Be the same user in the new namespace as outside; without a map every file operation fails."""
    for name, line in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(descriptor, line.encode())
        os.close(descriptor)
    if (os.getuid(), os.getgid()) != (uid, gid):
        raise SetupFailed("the user and group are not mapped")


def cover_folders(scratch_bytes: int) -> None:
    """A small private tmpfs over each folder that can be written; it goes when the child goes."""
    _mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    for folder in (b"/tmp", b"/dev/shm"):
        if os.path.isdir(folder):
            _mount(b"tmpfs", folder, b"tmpfs", _MS_NOSUID | _MS_NODEV, b"size=%d,mode=1777,nr_inodes=20000" % scratch_bytes)
    os.makedirs("/tmp/work")
    os.chdir("/tmp/work")


def _mount(source: bytes, target: bytes, kind: bytes | None, flags: int, options: bytes | None) -> None:
    if _LIBC.mount(source, target, kind, ctypes.c_ulong(flags), options) != 0:
        raise SetupFailed(f"mount on {target.decode()}: {os.strerror(ctypes.get_errno())}")


def limit(settings: dict[str, Any]) -> None:
    """Hard limits of the kernel; time is the parent's to watch, the hard RLIMIT_CPU stands behind it."""
    cpu = int(settings["cpu_s"]) + 5
    for kind, value in (
        (resource.RLIMIT_AS, settings["memory_bytes"]),
        (resource.RLIMIT_FSIZE, settings["file_bytes"]),
        (resource.RLIMIT_NPROC, settings["processes"]),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu),
    ):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def drop_rights() -> None:
    """No new privileges, an empty bounding set, and no capability left in any set."""
    _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for capability in range(64):
        _LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _LIBC.capset(header, (ctypes.c_uint32 * 6)())
    if capabilities():
        raise SetupFailed("capabilities are left")


def capabilities() -> int:
    """The effective and permitted capabilities of this process, as one number; 0 is none."""
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if _LIBC.capget(header, data) != 0:
        raise SetupFailed("capget")
    return int(data[0] | data[1] | data[3] | data[4])


def write_files(connection: socket.socket, settings: dict[str, Any]) -> None:
    """Given and handed-in files, from the socket into the working folder."""
    header, blob = receive(connection)
    at = 0
    for name, size in header["files"]:
        path = os.path.join(os.getcwd(), os.path.basename(name))
        with open(path, "wb") as file:
            file.write(blob[at : at + size])
        at += size


def reseed() -> None:
    """The same start for every submission."""
    random.seed(_SEED)
    np.random.seed(_SEED)
    torch.manual_seed(_SEED)


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
        with interruptible():
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
