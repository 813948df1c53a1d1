"""The warm parent: imports once, then clones a child for each submission. It never reads a submission.

Theory of operation. The trusted side starts this file (inside bubblewrap where that can be had) with one end of a socket,
whose descriptor number is its argument. Over it come orders, one JSON object a message: `start` brings the child's own
socket and two pipes as descriptors and is answered with the child's pid; `signal`, `usage` and `end` name that pid. The
parent hands the descriptors to a clone in new user, mount, process, IPC and network namespaces, closes its own copies,
and goes on listening. One child lives at a time, so that its processor time is the sum over all that descends from it.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import io
import json
import os
import signal
import socket
import sys
import time
from typing import Any

from . import child
from .shell import Shell, make_shell

_CLONE_NAMESPACES = 0x10000000 | 0x00020000 | 0x20000000 | 0x08000000 | 0x40000000  # user, mount, pid, ipc, net
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine)
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Warm up, say so, and serve until the other side closes the socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    shell = warm_up()
    control.sendall(json.dumps({"ready": os.getpid()}).encode())
    while True:
        text, descriptors = receive_order(control)
        if not text:
            os._exit(0)
        control.sendall(json.dumps(obey(json.loads(text), descriptors, shell)).encode())


def warm_up() -> Shell:
    """Import and use once whatever is lazy: the first failing cell, optimizer step, dispatch mode, figure are slow."""
    import site

    import matplotlib

    site.setquit()
    site.sethelper()  # names that notebooks know; the interpreter was started without `site`
    matplotlib.use("agg")
    import torch
    from matplotlib import pyplot

    torch.set_num_threads(1)
    pyplot.show = lambda *args, **kwargs: None
    shell = make_shell()
    with contextlib.redirect_stdout(io.StringIO()):
        for text in _WARMING:
            shell.run(text, "<warming>", lambda event: None)
    shell.reset(new_session=True)
    gc.collect()
    gc.freeze()  # what the children share stays shared: no collection in a child writes to it
    return shell


_WARMING = (
    "import torch, numpy, math\nimport matplotlib.pyplot as plt",
    "figure = plt.figure(); plt.imshow([[0.0]]); plt.colorbar(); plt.close('all')",
    "layer = torch.nn.Linear(2, 2); step = torch.optim.Adam(layer.parameters())",
    "layer(torch.ones(1, 2)).sum().backward(); step.step()",
    "from torch.utils._python_dispatch import TorchDispatchMode",
    "with TorchDispatchMode(): torch.softmax(torch.ones(2, 2) @ torch.ones(2, 2), -1)",
    "print(torch.linalg.qr(torch.rand(3, 3))[0], torch.einsum('ij,kj->ik', torch.ones(2, 3), torch.ones(4, 3)))",
    "raise_now = None\nraise_now()",
)


def receive_order(control: socket.socket) -> tuple[bytes, list[int]]:
    """One order and the descriptors that came with it."""
    text, extra, _, _ = control.recvmsg(65_536, socket.CMSG_SPACE(3 * 4))
    descriptors = array.array("i")
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    return text, list(descriptors)


def obey(order: dict[str, Any], descriptors: list[int], shell: Shell) -> dict[str, Any]:
    """Carry out one order; a failure is an answer."""
    try:
        if order["verb"] == "start":
            return {"child": start(order["settings"], descriptors, shell)}
        if order["verb"] == "signal":
            os.kill(order["child"], order["signal"])
            return {}
        return usage(order["child"]) if order["verb"] == "usage" else end(order["child"], order["patience_s"])
    except OSError as error:
        return {"failed": f"{order['verb']}: {error.strerror}"}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def start(settings: dict[str, Any], descriptors: list[int], shell: Shell) -> int:
    """A child in namespaces of its own, or a plain fork where settings say that there are none."""
    connection, out, err = descriptors
    settings["ids"] = os.getuid(), os.getgid()
    pid = clone() if settings["namespaces"] else os.fork()
    if pid == 0:
        child.live(socket.socket(fileno=connection), (out, err), shell, settings)
    return pid


def clone() -> int:
    """fork(), but into new namespaces: one system call instead of fork, unshare and fork."""
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


def usage(pid: int) -> dict[str, Any]:
    """Of all that the child runs: seconds of processor time, seconds it waited for a processor, and the number of threads."""
    cpu_s, waited_s, threads = 0.0, 0.0, 0
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) not in (1, os.getpid()) and is_descendant(int(entry), pid):
            cpu, waited, count = process_usage(entry)
            cpu_s, waited_s, threads = cpu_s + cpu, waited_s + waited, threads + count
    return {"cpu_s": cpu_s, "waited_s": waited_s, "threads": threads}


def is_descendant(pid: int, ancestor: int) -> bool:
    """Whether a process is the ancestor or comes from it."""
    while pid > 1 and pid != ancestor:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            return False
    return pid == ancestor


def process_usage(entry: str) -> tuple[float, float, int]:
    """(processor seconds with those of children that ended, seconds waited for a processor, threads) of one process."""
    try:
        with open(f"/proc/{entry}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open(f"/proc/{entry}/schedstat", "rb") as file:
            waited = int(file.read().split()[1])
    except (OSError, IndexError):
        return 0.0, 0.0, 0
    return sum(int(n) for n in fields[11:15]) / _TICKS, waited / 1e9, int(fields[17])


def end(pid: int, patience_s: float) -> dict[str, Any]:
    """Kill the child with everything it started, and say how it had ended: its exit code, or minus a signal's number.

    A child whose socket has closed may take some milliseconds to be gone; `patience_s` is how long that is waited for.
    """
    deadline = time.monotonic() + patience_s
    done, status = os.waitpid(pid, os.WNOHANG)
    while done == 0 and time.monotonic() < deadline:
        time.sleep(0.002)
        done, status = os.waitpid(pid, os.WNOHANG)
    if done != 0:
        return {"code": os.waitstatus_to_exitcode(status)}
    kill_all(pid)
    os.waitpid(pid, 0)
    return {"code": None}


def kill_all(pid: int) -> None:
    """The child's group and descendants: stopped first, so that none can fork away, then killed."""
    with_pids = [int(e) for e in os.listdir("/proc") if e.isdigit() and is_descendant(int(e), pid)]
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for one in {*with_pids, pid} - {os.getpid()}:
            try:
                os.kill(one, number)
            except ProcessLookupError:
                continue


if __name__ == "__main__":
    main()
