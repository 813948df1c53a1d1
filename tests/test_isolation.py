"""Student code reaches nothing outside its child, and leaves nothing for the next one."""

from __future__ import annotations

import ast
import os
import socket
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from grading.course import course_secret, find_course
from grading.limits import Limits
from grading.sandbox.bubble import environment
from grading.sandbox.session import CellToRun, Session
from grading.sandbox.warm import WarmParent

LIMITS = Limits(cell_cpu_s=3, cell_wall_s=5)


def value(parent: WarmParent, *texts: str) -> Any:
    """The value, plain data, at the end of the last of some cells, none of which may fail."""
    cells = [CellToRun(f"<cell {i}>", textwrap.dedent(text)) for i, text in enumerate(texts)]
    with Session(parent, cells, {}, LIMITS) as session:
        session.run_cells()
        assert {run.status for run in session.runs.values()} == {"ok"}, session.runs
        return ast.literal_eval(session.runs[cells[-1].name].outputs[-1]["data"]["text/plain"])


def descendants(ancestor: int) -> set[int]:
    """Processes that come from one, as this machine sees them."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {ancestor}
    while more := {pid for pid, above in parents.items() if above in found} - found:
        found |= more
    return found - {ancestor}


LEAVE = """
    import builtins, ctypes, math, os, sys, tempfile
    from pathlib import Path
    import matplotlib, torch

    libc = ctypes.CDLL(None)
    {before}
    left = []
    folders = ["/tmp", "/dev/shm", "/", "/dev", "/course", "/course/inside", "/tmp/home", "/tmp/work", "/var/tmp", "/usr/lib"]
    folders += ["/etc", "/proc/1/cwd", Path.home(), Path.home() / ".ipython/profile_default/startup", os.getcwd()]
    folders += [matplotlib.get_configdir(), matplotlib.get_cachedir(), tempfile.gettempdir()]
    folders += [Path(os.__file__).parent, Path(torch.__file__).parent]
    for folder in map(str, folders):
        try:
            os.makedirs(folder, exist_ok=True)
            Path(folder, "left_by_a_student.py").write_text("import os; os._exit(7)")
            left.append(folder)
        except OSError:
            pass
    os.environ["LEFT_BY_A_STUDENT"] = "1"
    builtins.left_by_a_student = math.left_by_a_student = 1
    torch.softmax = torch.randn = torch.Tensor.__matmul__ = lambda *a, **k: 1 / 0
    sys.modules["numpy"].allclose = lambda *a, **k: True
    get_ipython().ast_transformers.append(1)
    get_ipython().run_cell = None
    torch.set_default_dtype(torch.float64); torch.manual_seed(1)
    "/tmp" in left and "/dev/shm" in left
"""
BEFORE = {
    "plainly": "",
    "after unmounting": "[libc.umount2(folder, 2) for folder in (b'/tmp', b'/dev/shm', b'/dev', b'/proc')]",
    "after mounting": "libc.mount(b'none', b'/etc', b'tmpfs', 0, None); libc.mount(None, b'/', None, 32, None)",
    "after a namespace of its own": "libc.unshare(0x10000000 | 0x20000); libc.umount2(b'/tmp', 2)",
}
FIND = """
    import builtins, math, os, subprocess, sys
    import numpy, torch

    found = subprocess.run(["find", "/", "-xdev", "-name", "left_by*"], capture_output=True, text=True).stdout.split()
    for folder in ("/tmp", "/dev", "/dev/shm", "/course"):
        found += subprocess.run(["find", folder, "-name", "left_by*"], capture_output=True, text=True).stdout.split()
    found += [name for name in os.environ if name.startswith("LEFT")]
    found += [str(place) for place in (builtins, math) if hasattr(place, "left_by_a_student")]
    equal = numpy.allclose(numpy.zeros(1), numpy.ones(1))
    known = float((torch.softmax(torch.zeros(2), 0) @ torch.ones(2)).item())
    drawn = float(torch.rand(1))
    (found, equal, known, drawn, str(torch.get_default_dtype()), len(get_ipython().ast_transformers), sorted(os.listdir("/tmp")))
"""


@pytest.fixture(scope="module")
def first_sight(parent: WarmParent) -> Any:
    """What a submission finds before any other has left something."""
    return value(parent, FIND)


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_what_a_submission_leaves_is_not_found_by_the_next(parent: WarmParent, first_sight: Any, before: str) -> None:
    assert first_sight[:3] == ([], False, 1.0)
    assert value(parent, LEAVE.format(before=before)), "the test must be able to leave something"
    assert value(parent, FIND) == first_sight


LINGERERS = {
    "a sleeper": "time.sleep(60)",
    "one that writes later": "time.sleep(0.2); open('/tmp/late', 'w').write('1'); time.sleep(60)",
    "one that kills all it can": "[kill(pid) for pid in range(2, 2000)]; os.kill(-1, 9)",
    "one that ignores every signal": "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 13, 15)]; time.sleep(60)",
    "many": "[os.fork() for _ in range(4)]; time.sleep(60)",
}
LINGER = """
    import os, signal, time

    def kill(pid):
        try:
            os.kill(pid, 9)
        except OSError:
            pass

    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for n in range(3):
                os.close(n)
            os.close(3)
            {what}
        os._exit(0)
    os.wait()
    1
"""


@pytest.mark.parametrize("what", LINGERERS.values(), ids=LINGERERS)
def test_a_detached_process_goes_when_its_submission_goes(parent: WarmParent, what: str) -> None:
    ours = {pid for pid in descendants(os.getpid()) if pid in descendants(parent._process.pid) | {parent._process.pid}}
    assert value(parent, LINGER.format(what=what)) == 1
    deadline = time.monotonic() + 2
    while (left := descendants(parent._process.pid) - ours) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left
    assert value(parent, "import os; os.path.exists('/tmp/late')") is False


def test_the_parent_can_be_neither_killed_nor_read(parent: WarmParent) -> None:
    text = """
        import os
        reached = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or os.readlink("/proc/self") == entry:
                continue
            for name, mode in (("mem", "r+b"), ("environ", "rb"), ("maps", "rb")):
                try:
                    reached.append((entry, name, len(open(f"/proc/{entry}/{name}", mode).read(1))))
                except OSError:
                    pass
            for name in ("root", "cwd", *(f"fd/{n}" for n in range(20))):
                try:
                    reached.append((entry, name, os.readlink(f"/proc/{entry}/{name}")))
                except OSError:
                    pass
        for pid in [os.getppid(), *range(2, 500)]:
            try:
                if pid:
                    os.kill(pid, 9)
                    reached.append((pid, "killed"))
            except OSError:
                pass
        reached
    """
    assert value(parent, text) == []


def test_no_network_is_in_reach(parent: WarmParent) -> None:
    name = f"course-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{name}")
        local.listen()
        text = f"""
            import socket
            outcomes = []
            for family, address in ((socket.AF_INET, ("127.0.0.1", {server.getsockname()[1]})), (socket.AF_UNIX, "\\0{name}"),
                                    (socket.AF_INET, ("192.0.2.1", 80))):
                with socket.socket(family) as one:
                    one.settimeout(2)
                    try:
                        one.connect(address)
                        outcomes.append("connected")
                    except OSError as error:
                        outcomes.append(error.__class__.__name__)
            outcomes.append([name for _, name in socket.if_nameindex()])
            outcomes
        """
        inet, unix, far, interfaces = value(parent, text)
    assert "connected" not in (inet, unix, far)
    assert unix == "ConnectionRefusedError"
    assert interfaces == ["lo"]


def test_the_course_cannot_be_read(parent: WarmParent) -> None:
    course = find_course()
    course_secret(course)
    private = [
        course.root / name
        for name in (".course_secret", "source", "grader_tests", "solutions", "submitted", "nbgrader_config.py")
    ]
    private += [
        Path(__file__),
        course.root / "grading" / "score.py",
        Path("/etc/passwd"),
        Path("/etc/shadow"),
        Path.home() / ".ssh",
    ]
    there = [str(path) for path in private if path.exists()]
    assert str(course.root / ".course_secret") in there
    seen = value(
        parent,
        f"""
        import os, sys
        roots = ("", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../..")
        seen = [path for root in roots for path in {there!r} if os.path.lexists(root + path)]
        for name in ("grader_tests", "grading", "grading.score", "nbgrader_config"):
            try:
                __import__(name)
                seen.append(name)
            except ImportError:
                pass
        seen += [name for name in sys.modules if name.startswith(("grad" + "ing", "grader"))]
        seen + [entry for entry in os.listdir("/course") if entry not in ("inside", "packages")]
        """,
    )
    assert seen == []


def test_what_a_child_may_still_import_lies_where_no_tmpfs_covers_it(parent: WarmParent) -> None:
    """Wherever the course lies, /tmp included: a child's own tmpfs would hide packages that are imported late."""
    covered = value(
        parent,
        """
        import os, sys
        files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
        [path for path in (*sys.path, *files) if path.startswith(("/tmp/", "/dev/shm/")) and path != os.getcwd()]
        """,
    )
    assert covered == []


def test_a_child_has_no_right_and_no_variable_of_ours(parent: WarmParent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_INSTRUCTOR", "1")
    uid, rights, names, descriptors, hosts = value(
        parent,
        """
        import os
        lines = [line.split() for line in open("/proc/self/status")]
        rights = {line[0][:-1]: int(line[1], 16) for line in lines if line[0].startswith(("Cap", "NoNewPrivs"))}
        (os.getuid(), rights, sorted(os.environ), sorted(os.listdir("/proc/self/fd"), key=int)[:-1], sorted(os.listdir("/")))
        """,
    )
    assert uid != 0
    assert rights == {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapBnd": 0, "CapAmb": 0, "NoNewPrivs": 1}
    # COLUMNS and LINES come from IPython, PWD from the shell that bubblewrap is not; nothing else may.
    assert set(names) <= {*environment(""), "PYTHONPATH", "PWD", "COLUMNS", "LINES"}
    assert descriptors == ["0", "1", "2", "3"]
    assert "home" not in hosts
