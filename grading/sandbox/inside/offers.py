"""What one place of this machine offers: tries each line of defence in a process that ends at once, and tells what came of it.

Started by `grading/sandbox/probe.py`, once inside bubblewrap and once bare, with a JSON object of settings for its argument. It
prints one JSON object: why each line does not work here (nothing where it does), the version of Landlock, and the user.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
from typing import Any

from . import cage, landlock
from .kernel import SetupFailed, become, capabilities, clone
from .processes import remove_folder


def main() -> None:
    """Step down as the parent would, try, and print."""
    settings = json.loads(sys.argv[2])
    become(int(sys.argv[1]))
    found: dict[str, Any] = {"uid": os.getuid(), "landlock": landlock.version(), "unreadable": unreadable(settings["packages"])}
    for line in (cage.NAMESPACES, cage.FILTERS):
        found[line] = attempt({**settings, "line": line, "ids": (os.getuid(), os.getgid())})
    print(json.dumps(found))


def unreadable(packages: str) -> str:
    """Why Python or the packages cannot be read by this user, or nothing."""
    for path in (os.path.join(packages, "torch", "__init__.py"), os.path.join(os.path.dirname(os.__file__), "this.py")):
        try:
            with open(path, "rb") as file:
                file.read(1)
        except OSError as error:
            return f"user {os.getuid()} cannot read {path}: {error.strerror}"
    return ""


def attempt(settings: dict[str, Any]) -> str:
    """Why a line of defence does not work here, or nothing."""
    reader, writer = os.pipe()
    own = settings["line"] == cage.NAMESPACES
    settings["folder"] = "" if own else tempfile.mkdtemp(prefix="offer-", dir=os.getcwd())
    settings["filter"] = settings["filters"][settings["line"]]
    try:
        pid = clone() if own else os.fork()
    except OSError as error:
        return f"no user namespaces: {error.strerror}"
    if pid == 0:
        os.write(writer, outcome(settings).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as told:
        reason = told.read(500).decode()
    os.waitpid(pid, 0)
    if settings["folder"]:
        remove_folder(settings["folder"])
    return "" if reason == "works" else reason or "the process died"


def outcome(settings: dict[str, Any]) -> str:
    """Enter the cage and rattle at it: "works", or what does not."""
    try:
        cage.enter(settings)
        if capabilities():
            return "capabilities are left"
        with open("trace", "w") as file:
            file.write("a child can write into its own folder")
    except (SetupFailed, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return "works" if settings["line"] == cage.NAMESPACES else open_bars(settings)


def open_bars(settings: dict[str, Any]) -> str:
    """What Landlock and the filter let through that they must not."""
    if not settings["filter"]:
        return "no filter of system calls: libseccomp is missing"
    for what, action in (
        ("a file is read", lambda: os.close(os.open("/proc/version", os.O_RDONLY))),
        ("a file is written", lambda: os.close(os.open("../outside", os.O_CREAT | os.O_WRONLY))),
        ("a socket is made", lambda: socket.socket().close()),
    ):
        try:
            action()
        except PermissionError:
            continue
        except OSError as error:
            return f"{what}: {error.strerror}"
        return what
    return "works"


if __name__ == "__main__":
    main()
