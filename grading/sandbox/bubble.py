"""The command line that starts the warm parent: inside bubblewrap where it works, bare where it does not."""

from __future__ import annotations

import functools
import shutil
import site
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

INSIDE = Path(__file__).resolve().parent / "inside"
COURSE = INSIDE.parents[2]
_SANDBOX_UID = 65_532  # any id but 0, so that student code is nobody in particular
_MOUNTED_AT = "/course"
_PACKAGES = "/course/packages"
_SYSTEM = (
    *("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/share/fonts", "/usr/share/zoneinfo", "/lib", "/lib64", "/bin"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts"),
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
    # The parent's heap in huge pages, for a fork copies page tables: a child that runs nothing costs 15 ms against 21, one that
    # runs 34 cells 47 against 51 (medians, measured in turn). Where the kernel has no huge pages, the settings do nothing.
    heap = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    return threads | folders | fixed | heap


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
    # A clone into new user namespaces needs none of them.
    command += ["--cap-drop", "ALL"]
    shown = (*_SYSTEM, *(f"{sys.base_prefix}/{part}" for part in ("bin", "lib", "lib64")))
    for folder in shown:
        command += ["--ro-bind-try", folder, folder]
    if any(COURSE.is_relative_to(folder) for folder in shown):  # a course that lies among the system's folders
        command += ["--tmpfs", str(COURSE)]
    # The packages lie where no tmpfs covers them, wherever the course lies: a child imports some of them late.
    command += ["--ro-bind", packages(), _PACKAGES, "--ro-bind", str(INSIDE), f"{_MOUNTED_AT}/inside"]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += ["--size", "64000000", "--tmpfs", "/tmp", "--dir", "/tmp/home", "--remount-ro", "/dev", "--remount-ro", "/"]
    return (*command, "--chdir", "/tmp", *parent_command())


def packages() -> str:
    """The folder of the installed packages."""
    return site.getsitepackages()[0]


def parent_command() -> tuple[str, ...]:
    """The bare interpreter, running the parent; what it may import is what PYTHONPATH says, no site folder beside it."""
    interpreter: str = sys._base_executable  # type: ignore[attr-defined]  # known to CPython since 3.7, not to its stubs
    return (interpreter, "-S", "-s", "-m", "inside.parent")


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
    return Launch(
        bubblewrap_command(bwrap), environment("/tmp/home") | {"PYTHONPATH": f"{_MOUNTED_AT}:{_PACKAGES}"}, True, described
    )


def bare_launch() -> Launch:
    """A parent without a sandbox, for students who are trusted."""
    described = "unsandboxed: a forked child with limits, the whole machine in view"
    return Launch(parent_command(), {"PYTHONPATH": f"{INSIDE.parent}:{packages()}"}, False, described)


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
