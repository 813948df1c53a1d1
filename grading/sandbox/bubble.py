"""What the sandbox is made of: the bubblewrap command, the bare interpreter, its environment, and the paths that it may see."""

from __future__ import annotations

import site
import sys
from collections.abc import Iterable
from pathlib import Path

INSIDE = Path(__file__).resolve().parent / "inside"
COURSE = INSIDE.parents[2]
SANDBOX_UID = 65_532  # any user but root, so that student code is nobody in particular
_MOUNTED_AT = "/course"
_PACKAGES = "/course/packages"
SYSTEM = (
    *("/usr/bin", "/usr/lib", "/usr/lib64", "/usr/share/fonts", "/usr/share/zoneinfo", "/lib", "/lib64", "/bin"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/fonts"),
    *(f"{sys.base_prefix}/{part}" for part in ("bin", "lib", "lib64")),
)
QUICK_RUN = {"COURSE_QUICK_RUN": "1"}  # how a notebook that trains for minutes knows that nobody waits for the result
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


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
    return threads | folders | fixed | heap | QUICK_RUN


def bubblewrap_command(bwrap: str, by_root: bool) -> tuple[str, ...]:
    """bubblewrap with no network, a read-only view of Python alone, and nothing of the course but `inside`.

    By root it needs no user namespace, and leaves the parent the two rights that stepping down to an ordinary user takes: under
    root's own number, however it is mapped, the kernel holds nobody to a number of processes. Else it makes a user namespace.
    """
    command = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if by_root:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:  # a clone into new user namespaces needs no capability
        command += ["--unshare-user", "--uid", str(SANDBOX_UID), "--gid", str(SANDBOX_UID)]
    for folder in parents(*SYSTEM, _PACKAGES):  # bubblewrap alone would make them for root only
        command += ["--perms", "0755", "--dir", folder]
    for folder in SYSTEM:
        command += ["--ro-bind-try", folder, folder]
    if not hides_course(SYSTEM):
        command += ["--tmpfs", str(COURSE)]
    # The packages lie where no tmpfs covers them, wherever the course lies: a child imports some of them late.
    command += ["--ro-bind", packages_path(inside=False), _PACKAGES, "--ro-bind", str(INSIDE), f"{_MOUNTED_AT}/inside"]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += ["--perms", "1777", "--size", "64000000", "--tmpfs", "/tmp", "--perms", "1777", "--dir", "/tmp/home"]
    return (*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp")


def parents(*paths: str) -> list[str]:
    """The folders above some paths, outermost first, without the root."""
    return sorted({str(folder) for path in paths for folder in Path(path).parents} - {"/"})


def hides_course(shown: Iterable[str]) -> bool:
    """Whether the course lies beneath none of these paths."""
    return not any(COURSE.is_relative_to(path) for path in shown)


def interpreter(module: str) -> tuple[str, ...]:
    """The bare interpreter, running a module; what it may import is what PYTHONPATH says, no site folder beside it."""
    executable: str = sys._base_executable  # type: ignore[attr-defined]  # known to CPython since 3.7, not to its stubs
    return (executable, "-S", "-s", "-m", module)


def packages_path(inside: bool) -> str:
    """Where the installed packages lie: in the environment, or where bubblewrap shows them."""
    return _PACKAGES if inside else site.getsitepackages()[0]


def python_path(inside: bool) -> str:
    """Where modules are looked for: the package `inside`, and the installed ones."""
    return f"{_MOUNTED_AT if inside else INSIDE.parent}:{packages_path(inside)}"


def readable_paths(inside: bool) -> tuple[str, ...]:
    """What Landlock leaves open for reading."""
    return (*SYSTEM, *_DEVICES, packages_path(inside), f"{_MOUNTED_AT}/inside" if inside else str(INSIDE))
