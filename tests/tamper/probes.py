"""What a child of the sandbox can see: small probes, each a cell whose last value is plain data, and what must come of them.

`python -m tests.tamper.probes` prints the table for this machine's own line of defence.
"""

from __future__ import annotations

import ast
import os
import socket
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.course import find_course
from grading.limits import Limits
from grading.sandbox.launch import Launch, choose_launch
from grading.sandbox.session import CellToRun, Session
from grading.sandbox.warm import WarmParent

LIMITS = Limits(cell_cpu_s=3, cell_wall_s=6)
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Probe:
    """A question to a child of the first line of defence, as a cell, and what must be the answer.

    The second line's promises are fewer; they are held on every line in tests/test_lines.py.
    """

    asks: str
    text: str
    holds: Callable[[Any], bool]


def nothing(answer: Any) -> bool:
    """An empty list, or False: nothing was found, nothing was reached."""
    return not answer


def private_paths() -> list[str]:
    """Places outside that exist, and that no child may see."""
    course = find_course()
    names = ("source", "solutions", "release", "grader_tests", "submitted", "autograded", ".course_secret", "nbgrader_config.py")
    paths = [
        course.root,
        *(course.root / name for name in names),
        Path(__file__),
        *(Path.home() / name for name in (".ssh", ".profile", ".bashrc")),  # the folder itself may hold the interpreter
        Path("/etc/passwd"),
        Path("/etc/shadow"),
    ]
    return [str(path) for path in paths if path.exists() and path != Path("/tmp")]


def probes(port: int, abstract: str) -> Mapping[str, Probe]:
    """All probes, by name; `port` and `abstract` are servers outside that listen."""
    found = (*_of_files(), *_of_processes(), *_of_the_network(port, abstract), *_of_rights())
    return {probe.asks: probe for probe in found}


_LOAD = """
    import importlib, sys
    loaded = [name for name in sys.modules if name.split(".")[0] in ("grading", "grader_tests", "nbgrader", "tests")]
    for name in ("grading", "grading.checks", "grader_tests", "grader_tests.m1_attention", "nbgrader_config", "tests"):
        try:
            importlib.import_module(name)
            loaded.append(name)
        except ImportError:
            pass
    loaded
"""
_WRITE = """
    import os, subprocess
    left_out = ["(", "-path", "/proc", "-o", "-path", "/tmp", "-o", "-path", "/dev/shm", ")", "-prune", "-o"]
    command = ["find", "/", *left_out, "(", "-type", "f", "-o", "-type", "d", ")", "-writable", "-print"]
    found = subprocess.run(command, capture_output=True, text=True).stdout.split()
    kept = []
    for path in found:
        try:
            if os.path.isdir(path):
                open(path + "/left", "w").close()
                kept.append(path)
            elif os.path.isfile(path):  # a device such as /dev/null keeps nothing
                kept.append(path)
        except OSError:
            pass
    kept
"""
_BOUNDED = """
    import os
    sizes = [os.statvfs(folder) for folder in ("/tmp", "/dev/shm") if os.path.isdir(folder)]
    max(one.f_blocks * one.f_frsize for one in sizes)
"""


def _of_files() -> tuple[Probe, ...]:
    see = f"""
        import os
        roots = ("", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../..")
        [root + path for root in roots for path in {private_paths()!r} if os.path.lexists(root + path)]
    """
    return (
        Probe("paths of the course and of the instructor in sight", see, nothing),
        Probe("modules of the grader that can be imported", _LOAD, nothing),
        Probe("folders and files outside its tmpfs that can be written", _WRITE, nothing),
        Probe("bytes that its tmpfs can hold", _BOUNDED, lambda size: 0 < size <= LIMITS.file_bytes + 4096),
        Probe(
            "files that lie in /tmp when it begins", "import os\n[n for _, _, files in os.walk('/tmp') for n in files]", nothing
        ),
    )


def _of_processes() -> tuple[Probe, ...]:
    read = f"""
        import os
        me = os.getpid()
        pids = {{int(entry) for entry in os.listdir("/proc") if entry.isdigit()}} | {{1, os.getppid(), {os.getpid()}}}
        reached = []
        for pid in pids - {{me, 0}}:
            for name in ("mem", "environ", "maps"):
                try:
                    reached.append((pid, name, open(f"/proc/{{pid}}/{{name}}", "rb").read(1)))
                except OSError:
                    pass
            for name in ("root", "cwd", "exe", *(f"fd/{{n}}" for n in range(20))):
                try:
                    reached.append((pid, name, os.readlink(f"/proc/{{pid}}/{{name}}")))
                except OSError:
                    pass
        reached
    """
    signal = f"""
        import os
        reached = []
        for pid in {{os.getppid(), {os.getpid()}, *range(2, 2000)}} - {{0, os.getpid()}}:
            try:
                os.kill(pid, 0)
                reached.append(pid)
            except OSError:
                pass
        reached
    """
    return (
        Probe("other processes whose memory, environment or descriptors can be read", read, nothing),
        Probe("other processes that a signal reaches", signal, nothing),
        Probe("entries of /proc", "import os\nos.listdir('/proc')", lambda seen: seen == ["self"]),
        Probe(
            "descriptors that are open",
            "import os\nsorted(map(int, os.listdir('/proc/self/fd')))[:-1]",
            lambda fds: fds == [0, 1, 2, 3],
        ),
    )


def _of_the_network(port: int, abstract: str) -> tuple[Probe, ...]:
    connect = """
        import socket
        reached = []
        for family, address in {targets!r}:
            try:
                with socket.socket(family) as one:
                    one.settimeout(0.3)
                    one.connect(address)
                    reached.append(address)
            except OSError:
                pass
        reached
    """
    loopback = [(int(socket.AF_INET), ("127.0.0.1", port)), (int(socket.AF_INET), ("192.0.2.1", 80))]
    local = [(int(socket.AF_UNIX), "\0" + abstract), (int(socket.AF_UNIX), "/run/dbus/system_bus_socket")]
    up = "import socket\n[name for _, name in socket.if_nameindex() if name != 'lo']"
    return (
        Probe("addresses of the network that can be reached", connect.format(targets=loopback), nothing),
        Probe("abstract and other local sockets that can be reached", connect.format(targets=local), nothing),
        Probe("interfaces beside its own loopback", up, nothing),
    )


def _of_rights() -> tuple[Probe, ...]:
    rights = """
        lines = [line.split() for line in open("/proc/self/status")]
        {line[0][:-1]: int(line[1], 16) for line in lines if line[0].startswith(("Cap", "NoNewPrivs"))}
    """
    gain = """
        import ctypes
        libc = ctypes.CDLL(None)
        done = {"mount": libc.mount(b"none", b"/tmp", b"tmpfs", 0, None), "umount": libc.umount2(b"/tmp", 2),
                "chroot": libc.chroot(b"/"), "setuid": libc.setuid(0), "ptrace": libc.ptrace(16, 1, 0, 0)}
        [name for name, code in done.items() if code == 0]
    """
    none = {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapBnd": 0, "CapAmb": 0, "NoNewPrivs": 1}
    names = "import os\n[name for name in os.environ if name.startswith(('JUPYTER', 'NBGRADER', 'SECRET', 'AWS', 'SSH', 'USER'))]"
    return (
        Probe("its uid", "import os\nos.getuid()", lambda uid: uid != 0),
        Probe("its capabilities", rights, lambda found: found == none),
        Probe("privileged calls that succeed", gain, nothing),
        Probe("variables of the instructor's environment", names, nothing),
    )


def answer(parent: WarmParent, probe: Probe) -> Any:
    """What a fresh child answers: plain data, or how the cell went where it gave none."""
    cell = CellToRun("<cell 0>", textwrap.dedent(probe.text).strip())
    with Session(parent, [cell], {}, LIMITS) as session:
        session.run_cells()
        run = session.runs[cell.name]
    if run.status != "ok" or not run.outputs or "data" not in run.outputs[-1] or "stream" in run.outputs[-1]:
        return f"no answer: {run.status} {run.detail} {run.error}"
    return ast.literal_eval(run.outputs[-1]["data"]["text/plain"])


def print_table(launch: Launch) -> None:
    """Every probe with its answer, and whether that is as it must be."""
    print(launch.description)
    with socket.create_server(("127.0.0.1", 0)) as server, WarmParent(launch) as parent:
        for asks, probe in probes(server.getsockname()[1], "nobody-listens").items():
            found = answer(parent, probe)
            print(f"{'as it must be' if probe.holds(found) else 'NOT AS IT MUST BE':<18} {asks}: {str(found)[:200]}")


if __name__ == "__main__":
    print_table(choose_launch())
