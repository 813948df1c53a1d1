"""The command line that starts the warm parent: inside bubblewrap where it works, bare where it does not."""

from __future__ import annotations

import functools
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INSIDE = Path(__file__).parent / "inside"
_SANDBOX_UID = 65_532  # any id but 0: for root the kernel ignores the limit on processes
_MOUNTED_AT = "/course"
_SYSTEM = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/fonts",
    "/opt",
)


@dataclass(frozen=True)
class Launch:
    """How a warm parent is started; `namespaces` says whether children get namespaces of their own."""

    command: tuple[str, ...]
    environment: dict[str, str]
    namespaces: bool
    description: str


def environment(home: str) -> dict[str, str]:
    """The whole environment of student code: one thread everywhere, no hash randomness, nothing of the instructor's."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    folders = {
        "HOME": home,
        "MPLCONFIGDIR": home + "/matplotlib",
        "IPYTHONDIR": home + "/ipython",
        "TORCHINDUCTOR_CACHE_DIR": home,
    }
    fixed = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "agg",
    }
    # The parent's heap in huge pages: a fork copies page tables, and with small pages that is most of what a child costs
    # (measured: 22 ms against 5). Where the kernel has none, the settings do nothing.
    heap = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    return threads | folders | fixed | heap


def python_folders() -> Iterator[str]:
    """Where the interpreter and its packages lie, to be shown read-only."""
    yield from dict.fromkeys([sys.base_prefix, sys.prefix, *site.getsitepackages(), str(Path(sys.executable).resolve().parent)])


def bubblewrap_command(bwrap: str) -> tuple[str, ...]:
    """bubblewrap with no network, no capability, a read-only view of Python alone, and nothing of the course but `inside`."""
    command = [
        bwrap,
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--uid",
        str(_SANDBOX_UID),
        "--gid",
        str(_SANDBOX_UID),
    ]
    # Capabilities stay within bubblewrap's own user namespace only as far as a clone into new ones needs none.
    command += ["--cap-drop", "ALL"]
    for folder in _SYSTEM:
        command += ["--ro-bind-try", folder, folder]
    for folder in python_folders():
        command += ["--ro-bind-try", folder, folder]
    command += ["--ro-bind", str(INSIDE), f"{_MOUNTED_AT}/inside", "--proc", "/proc", "--dev", "/dev"]
    command += ["--size", "64000000", "--tmpfs", "/tmp", "--dir", "/tmp/home", "--remount-ro", "/dev", "--remount-ro", "/"]
    return (*command, "--chdir", "/tmp", *parent_command())


def parent_command() -> tuple[str, ...]:
    """Python, running the parent; the site folder of the user is left out."""
    return (sys.executable, "-s", "-m", "inside.parent")


@functools.cache
def bubblewrap_works() -> str | None:
    """The path of a bubblewrap that can make a sandbox here, or None."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    probe = [bwrap, "--unshare-all", "--uid", str(_SANDBOX_UID), "--gid", str(_SANDBOX_UID), "--ro-bind", "/", "/", "true"]
    return bwrap if subprocess.run(probe, capture_output=True, timeout=20).returncode == 0 else None


def choose_launch() -> Launch:
    """The strongest line of defence of this machine; a bare parent where there is none."""
    bwrap = bubblewrap_works()
    if bwrap is None:
        return bare_launch()
    described = "bubblewrap: no network, no view of the course; each submission in namespaces of its own, without capabilities"
    return Launch(bubblewrap_command(bwrap), environment("/tmp/home") | {"PYTHONPATH": _MOUNTED_AT}, True, described)


def bare_launch() -> Launch:
    """A parent without a sandbox, for students who are trusted."""
    described = "unsandboxed: a forked child with limits, the whole machine in view"
    return Launch(parent_command(), {"PYTHONPATH": str(INSIDE.parent)}, False, described)


def start_process(launch: Launch, control: int, scratch: str) -> subprocess.Popen[bytes]:
    """Start the parent, which inherits the descriptor `control` and is told its number.

    Without a sandbox, `scratch` is its home and working folder; inside bubblewrap both are of its own making.
    """
    bare = {} if launch.namespaces else environment(scratch)
    command = [*launch.command, str(control)]
    return subprocess.Popen(
        command,
        env={**launch.environment, **bare},
        cwd=scratch,
        pass_fds=[control],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
