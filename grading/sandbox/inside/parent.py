"""The warm parent: imports once, then makes a child for each submission. It never reads a submission.

Theory of operation. Three kinds of processes, two kinds of pipes.

The trusted side (`grading/sandbox/warm.py`) starts this file, inside bubblewrap where that can be had, with a number to step
down to and one end of a socket. Started by root, the parent first becomes the ordinary user of that number, then imports. It has
no network, no file of the course, no capability, and it runs no student code. Over its socket come orders, one JSON object a
message: `start` brings the child's own socket and two pipes as descriptors and is answered with the child's pid; `signal`,
`usage`, `written` and `end` are about that child. The parent hands the descriptors to the new process, closes its own copies, and
goes on listening. One child lives at a time, so that its processor time is the sum over all that descends from this process.

A child first makes itself harmless (`cage.py`). In the first line of defence it is cloned into user, mount, process, IPC and
network namespaces of its own, covers every folder that can be written with its own small tmpfs and /proc with its own entry,
takes its limits, drops every capability and sets no_new_privs; when it goes, the kernel ends whatever it has started. In the
second line, for machines without user namespaces, it is forked, keeps to one folder by Landlock, and a filter of system calls
takes sockets, other processes and file modes from it; the parent adopts what it leaves behind, stops it all, kills it all, and
removes the folder. Only then does it read cells and questions from its own socket, which the parent has closed (`child.py`). What
it prints goes into the two pipes. The trusted side, which reads them, is the clock.
"""

from __future__ import annotations

import array
import contextlib
import gc
import io
import json
import os
import socket
import sys
import tempfile
from typing import Any

from . import processes
from .cage import NAMESPACES
from .kernel import adopt_orphans, become, clone

# Before anything else is imported: what is imported may read the user's folders, and is read with this user's rights.
become(int(sys.argv[1]))

from . import child  # noqa: E402  # torch, numpy
from .shell import Shell, make_shell  # noqa: E402  # IPython


def main() -> None:
    """Warm up, say so, and serve until the other side closes the socket."""
    control = socket.socket(fileno=int(sys.argv[2]))
    control.set_inheritable(False)
    adopt_orphans()
    shell = warm_up()
    control.sendall(json.dumps({"ready": os.getpid()}).encode())
    while True:
        text, descriptors = receive_order(control)
        if not text:
            with contextlib.suppress(OSError):
                processes.end_all()
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
    child.reseed()  # numpy makes its generators when they are first asked for
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
    "from torch.overrides import resolve_name\nresolve_name(torch.softmax)",
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
            return start(order["settings"], descriptors, shell)
        if order["verb"] == "signal":
            os.kill(order["child"], order["signal"])
            return {}
        if order["verb"] == "written":
            written_bytes, files = processes.folder_size(order["folder"])
            return {"bytes": written_bytes, "files": files}
        return processes.usage(order["child"]) if order["verb"] == "usage" else finish(order)
    except OSError as error:
        return {"failed": f"{order['verb']}: {error.strerror}"}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def start(settings: dict[str, Any], descriptors: list[int], shell: Shell) -> dict[str, Any]:
    """A child in namespaces of its own, or a fork with a folder of its own; its pid and that folder."""
    connection, out, err = descriptors
    settings["ids"] = os.getuid(), os.getgid()
    own = settings["line"] == NAMESPACES
    settings["folder"] = "" if own else tempfile.mkdtemp(prefix="child-", dir=os.getcwd())
    pid = clone() if own else os.fork()
    if pid == 0:
        child.live(socket.socket(fileno=connection), (out, err), shell, settings)
    return {"child": pid, "folder": settings["folder"]}


def finish(order: dict[str, Any]) -> dict[str, Any]:
    """End a child with all that it started, and remove what it wrote."""
    code = processes.end(order["child"], order["patience_s"])
    if order["folder"]:
        processes.remove_folder(order["folder"])
    return {"code": code}


if __name__ == "__main__":
    main()
