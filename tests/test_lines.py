"""Each line of defence, wherever it works on this machine, keeps its promises: what a child can see, do and leave."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grading.course import course_secret, find_course
from grading.limits import Limits
from grading.sandbox.inside.cage import FILTERS, NAMESPACES
from grading.sandbox.inside.landlock import SIGNALS_SINCE, version
from grading.sandbox.inside.processes import descendants
from grading.sandbox.launch import Launch
from grading.sandbox.warm import WarmParent
from tests.lines import lines_here, run, value

LINES = lines_here()


def test_this_machine_has_both_lines() -> None:
    missing = [line for line in (NAMESPACES, FILTERS) if not any(launch.line == line for launch in LINES.values())]
    if missing:
        pytest.skip(
            f"not offered here: {missing}; `./course doctor` says why, and apt-get install bubblewrap libseccomp2 may help"
        )
    assert LINES


@pytest.fixture(scope="module", params=LINES.values(), ids=LINES)
def line(request: pytest.FixtureRequest) -> Iterator[WarmParent]:
    """A warm parent behind one line of defence in one place."""
    with WarmParent(request.param) as parent:
        yield parent


def attempts(*actions: str) -> str:
    """A cell whose value says of each action whether it was refused, or what came of it."""
    return f"""
        import ctypes, os, resource, signal, socket, subprocess, tempfile
        libc = ctypes.CDLL(None, use_errno=True)
        def call(name, *given):
            if getattr(libc, name)(*given) < 0:
                raise OSError(ctypes.get_errno(), name)
        outcomes = []
        for action in {list(actions)!r}:
            try:
                outcomes.append(str(eval(action)))
            except (OSError, ValueError) as error:
                outcomes.append("refused")
        outcomes
    """


def test_honest_work_goes_on(line: WarmParent) -> None:
    text = """
        import os, shutil, subprocess, tempfile, threading
        import torch, matplotlib.pyplot as plt
        torch.save({"a": torch.ones(2)}, "weights.pt")
        shutil.copy2("weights.pt", tempfile.mkdtemp())
        loaded = torch.load("weights.pt")["a"].tolist()
        plt.plot([1, 2]); plt.savefig("figure.png")
        thread = threading.Thread(target=loaded.append, args=(3.0,)); thread.start(); thread.join()
        echoed = subprocess.run(["echo", "said"], capture_output=True, text=True).stdout
        torch.nn.LSTM(2, 3)(torch.ones(4, 1, 2))[0].sum().backward()
        (loaded, echoed, os.path.getsize("figure.png") > 1000)
    """
    assert value(line, text) == ([1.0, 1.0, 3.0], "said\n", True)


def test_a_child_is_nobody_and_has_no_right(line: WarmParent) -> None:
    text = """
        import os
        rights = [text.split()[1] for text in STATUS if text.startswith(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"))]
        (os.getuid(), {int(right, 16) for right in rights}, os.getsid(0) == os.getpid(), sorted(os.environ))
    """
    # Landlock hides /proc/self/status from the child: the parent's side of the kernel shows it there.
    hidden = line.launch.line == FILTERS
    uid, rights, leads, names = value(line, text.replace("STATUS", "[]" if hidden else 'open("/proc/self/status")'))
    assert uid == (line.launch.uid or (65_532 if line.launch.bubble else os.getuid()))
    assert rights == (set() if hidden else {0})
    assert leads, "a child that shares a group of processes with the parent can end it with kill(0, 9)"
    assert not [name for name in names if name.startswith(("SUDO", "SSH", "PYTEST"))]
    assert value(line, attempts("call('unshare', 0x20000)", "call('chroot', b'/')", "os.setuid(0)"))[:2] == ["refused"] * 2


def test_nothing_of_the_course_or_the_machine_can_be_opened(line: WarmParent) -> None:
    course = find_course()
    if os.access(course.root, os.W_OK):
        course_secret(course)  # made where there is none yet
    names = (".course_secret", "source", "grader_tests", "grading/score.py", "submitted", "nbgrader_config.py", "tests", ".git")
    elsewhere = ("/etc/passwd", "/etc/hostname", "/proc/1/environ", Path.home() / ".profile")
    private = [*(course.root / name for name in names), *map(Path, elsewhere)]
    there = [str(path) for path in private if path.exists()]
    assert str(course.root / ".course_secret") in there
    text = f"""
        import os, sys
        seen = []
        for path in {there!r}:
            try:
                os.close(os.open(path, os.O_RDONLY))
                seen.append(path)
            except OSError:
                pass
        for name in ("grader_tests", "grading", "nbgrader_config"):
            try:
                __import__(name)
                seen.append(name)
            except ImportError:
                pass
        seen
    """
    assert value(line, text) == []


def test_a_terminals_times_are_no_place_to_leave_something(line: WarmParent) -> None:
    mark = "os.utime('/dev/pts/ptmx', ns=(12345, 12345))"
    value(line, attempts(mark))
    assert value(line, attempts("os.stat('/dev/pts/ptmx').st_mtime_ns")) != ["12345"]


def test_only_its_own_folder_can_be_written(line: WarmParent) -> None:
    text = """
        import os, tempfile, torch, matplotlib
        folders = ["/", "/tmp", "/dev", "/dev/shm", "/var/tmp", "/etc", "/usr/lib", "/proc", "/course", "/course/inside"]
        folders += [os.path.dirname(os.__file__), os.path.dirname(torch.__file__), matplotlib.get_cachedir(), "..", "../.."]
        folders += ["/tmp/home", os.path.expanduser("~"), os.getcwd(), tempfile.gettempdir()]
        written = []
        for folder in folders:
            try:
                os.makedirs(folder, exist_ok=True)
                open(os.path.join(folder, "left_by_a_student"), "w").close()
                written.append(os.path.realpath(folder))
            except OSError:
                pass
        (os.getcwd(), sorted(set(written)))
    """
    own, written = value(line, text)
    allowed = ("/tmp", "/dev/shm") if line.launch.line == NAMESPACES else (own,)
    assert own in written
    assert not [path for path in written if not path.startswith(allowed)]
    after = "import os; [p for p in ('/tmp', '/dev/shm', os.getcwd(), '..') if os.path.exists(p + '/left_by_a_student')]"
    assert value(line, after) == []
    assert not Path(own, "left_by_a_student").exists()


def test_modes_owners_and_times_of_files_stay_what_they_are(line: WarmParent) -> None:
    """Landlock does not judge these: of one user's files any process of that user could take away the rights."""
    before = [(path, path.stat()) for path in (Path(__file__), find_course().root, Path(os.__file__))]
    actions = []
    for path, _ in before:
        actions += [f"os.chmod({str(path)!r}, 0)", f"os.utime({str(path)!r}, (1, 1))", f"os.truncate({str(path)!r}, 0)"]
        actions += [f"os.setxattr({str(path)!r}, 'user.left', b'1')", f"os.rename({str(path)!r}, {str(path) + '.moved'!r})"]
    value(line, attempts(*actions))
    assert [path.stat() for path, _ in before] == [found for _, found in before]


def test_no_network_is_in_reach(line: WarmParent) -> None:
    name = f"course-lines-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{name}")
        local.listen()
        address = ("127.0.0.1", server.getsockname()[1])
        actions = [f"socket.create_connection({address!r}, 2)", f"socket.socket(socket.AF_UNIX).connect('\\0{name}')"]
        actions += ["socket.create_connection(('192.0.2.1', 80), 2)"]
        assert value(line, attempts(*actions)) == ["refused"] * 3


def test_no_other_process_can_be_touched(line: WarmParent) -> None:
    """Neither by signal, nor by limits, priority or memory; the test's own process and the parent stand for all."""
    pids = [os.getpid(), os.getppid(), line._process.pid, *descendants(line._process.pid)]
    actions = []
    for pid in (*pids, 1, 2):
        actions += [f"{pid} == os.getpid() or os.kill({pid}, 9)", f"{pid} == os.getpid() or resource.prlimit({pid}, 7, (3, 3))"]
        actions += [f"{pid} == os.getpid() or os.close(os.open('/proc/{pid}/mem', os.O_RDWR))"]
        actions += [f"{pid} == os.getpid() or call('ptrace', 16, {pid}, 0, 0)"]
    outcomes = value(line, attempts(*actions))
    assert set(outcomes) <= {"refused", "True"}
    reach = attempts("os.kill(0, signal.SIGCONT)", "os.getppid() and os.kill(os.getppid(), 9)", "os.setpriority(1, 1, 19)")
    value(line, reach)
    assert value(line, "1") == 1, "the parent lives"
    assert os.getpriority(os.PRIO_PROCESS, os.getpid()) < 19


def test_kill_of_its_own_group_ends_a_child_alone(line: WarmParent) -> None:
    pid = line._process.pid
    first, _ = run(line, "x = 1", "import os; os.kill(0, 9); os.killpg(0, 9)")
    assert first.status == "ok"
    assert value(line, "1") == 1
    assert line._process.pid == pid
    assert line._process.poll() is None


LINGERERS = {
    "a sleeper": "time.sleep(60)",
    "one that ignores every signal": "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 13, 15)]; time.sleep(60)",
    "many": "[os.fork() for _ in range(4)]; time.sleep(60)",
    "one that forks on and on": "exec(FORKING)",
}
LINGER = """
    import os, signal, time
    FORKING = "while True:\\n try:\\n  os.fork() and os._exit(0)\\n except OSError:\\n  pass"
    if os.fork() == 0:
        try:
            os.setsid()
        except OSError:
            pass
        if os.fork() == 0:
            for n in range(4):
                os.close(n)
            {what}
        os._exit(0)
    os.wait()
    1
"""


@pytest.mark.parametrize("what", LINGERERS.values(), ids=LINGERERS)
def test_a_detached_process_goes_when_its_submission_goes(line: WarmParent, what: str) -> None:
    ours = set(descendants(line._process.pid))
    assert value(line, LINGER.format(what=what)) == 1
    deadline = time.monotonic() + 2
    while (left := set(descendants(line._process.pid)) - ours) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left
    assert value(line, "1") == 1


def test_a_fork_bomb_costs_its_cell(line: WarmParent) -> None:
    bomb = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    runs = run(line, "x = 1", bomb, "x + 1", limits=Limits(cell_cpu_s=2, cell_wall_s=3, grace_s=0.3))
    assert runs[0].status == runs[2].status == "ok"
    assert runs[1].status in ("died", "timeout")
    assert value(line, "1") == 1


def test_limits_are_verdicts_of_their_cell(line: WarmParent) -> None:
    limits = Limits(cell_cpu_s=1, cell_wall_s=1, cell_after_timeout_cpu_s=0.5, grace_s=0.3, file_bytes=5_000_000, files=300)
    texts = {
        "memory": "import torch; held = torch.ones(2_000_000_000)",
        "a large file": "file = open('large', 'wb')\nfor _ in range(100):\n    file.write(bytes(1_000_000)); file.flush()",
        "time": "while True: pass",
        "sleep": "import time; time.sleep(60)",
        "death": "import os; os._exit(3)",
    }
    runs = dict(zip(texts, run(line, *texts.values(), "1", limits=limits), strict=False))
    assert {name: one.status for name, one in runs.items()} == {
        "memory": "error",
        "a large file": "error",
        "time": "timeout",
        "sleep": "timeout",
        "death": "died",
    }


HELD_BACK = """
    import os, signal, time
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(6):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(60)
"""
SEVERAL = """
    import os, time
    for _ in range(6):
        if os.fork() == 0:
            held = bytearray(300_000_000)
            held[::4096] = b"1" * len(held[::4096])
            time.sleep(60)
    time.sleep(60)
"""


def test_processes_that_only_wait_hold_no_clock_back(line: WarmParent) -> None:
    before = time.monotonic()
    runs = run(line, HELD_BACK, "1", limits=Limits(cell_cpu_s=60, cell_wall_s=1, grace_s=0.3))
    assert [one.status for one in runs] == ["timeout", "ok"]
    assert time.monotonic() - before < 8  # the ceiling, ten times the limit, was not needed


def test_memory_is_bounded_in_sum(line: WarmParent) -> None:
    runs = run(line, SEVERAL, "1", limits=Limits(cell_wall_s=20, memory_bytes=1_500_000_000))
    assert [one.status for one in runs] == ["died", "ok"]
    assert "held more than 1500000000 bytes of memory" in runs[0].detail


def test_too_many_files_cost_their_cell(line: WarmParent) -> None:
    """A tmpfs refuses them; where there is none, the child that goes on writing is ended."""
    many = "import time\nfor n in range(100_000):\n    open(f'file{n}', 'w').close()\n    time.sleep(0.0001)"
    runs = run(line, many, "1", limits=Limits(files=300))
    assert runs[0].status == ("error" if line.launch.line == NAMESPACES else "died")
    assert runs[1].status == "ok"


def test_a_tree_that_is_hard_to_remove_is_removed(line: WarmParent) -> None:
    deep = """
        import os
        home = os.getcwd()
        for _ in range(3000):
            os.mkdir("d"); os.chdir("d")
        os.mkdir("closed", 0); os.symlink("/", "link")
        os.chdir(home)
        os.mkdir("locked"); os.mkdir("locked/in"); os.chmod("locked", 0)
        home
    """
    own = value(line, deep)
    assert line.launch.bubble or not Path(own).exists()


def test_every_line_has_the_filter_and_the_second_has_landlock(line: WarmParent) -> None:
    assert line.launch.filter
    keyctl = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
    outcomes = value(line, attempts("call('unshare', 0x10000000)", f"call('syscall', {keyctl}, 0, 0)"))
    assert outcomes == ["refused", "refused"]
    if line.launch.line == FILTERS:
        assert version() >= 1
        datagrams = "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"
        assert value(line, attempts("socket.socket()", "os.listdir('/proc')", datagrams)) == ["refused"] * 3
        sent = value(line, attempts("os.kill(os.getpid(), 0)"))
        assert sent == (["None"] if version() >= SIGNALS_SINCE else ["refused"])


def test_what_a_launch_says_of_itself_names_its_line(line: WarmParent) -> None:
    launch: Launch = line.launch
    assert launch.sandboxed
    assert ("namespaces" in launch.description) is (launch.line == NAMESPACES)
    assert ("Landlock" in launch.description) is (launch.line == FILTERS)


def test_of_proc_a_child_sees_itself_alone_or_nothing(line: WarmParent) -> None:
    seen: Any = value(line, attempts("os.listdir('/proc')", "len(os.listdir('/proc/self/fd')) > 3", "open('/proc/x', 'w')"))
    assert seen == (["['self']", "True", "refused"] if line.launch.line == NAMESPACES else ["refused"] * 3)
