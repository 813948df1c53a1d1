"""What holds for root holds for an ordinary user: both lines of defence, and a submission scored behind the first."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from grading.course import find_course
from tests.ordinary_user import USER, needed_paths, run_as_ordinary_user

SCORING = """
import os, sys
from grading.course import find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import write
from grading.sandbox.launch import choose_launch
from grading.sandboxed import Sandbox
from grading.submission import Submission

plan = load_plan(find_course(), "m1_attention")
with Sandbox(choose_launch()) as sandbox:
    result = sandbox.score(Submission("student", "m1_attention", write(hand_in(plan, "")).encode()), plan, 1).result
print(os.getuid(), result.status, result.points, result.sandbox)
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the ordinary user's own, where every user may pass."""
    if os.getuid() != 0:
        pytest.skip("this user is an ordinary one: what is shown here, every other test shows; as root: sudo ./course test")
    if shutil.which("unshare") is None or shutil.which("setpriv") is None:
        pytest.skip("unshare and setpriv are missing; to have them: apt-get install util-linux")
    folder = Path("/tmp") / f"course-ordinary-{os.getpid()}"
    folder.mkdir(mode=0o755)
    os.chown(folder, USER, USER)
    return folder


@pytest.fixture(scope="module", autouse=True)
def leave_nothing(room: Path) -> object:
    yield
    shutil.rmtree(room)


def run(room: Path, *arguments: str) -> str:
    root = find_course().root
    environment = {**os.environ, "HOME": str(room), "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(room)}
    done = run_as_ordinary_user([sys.executable, *arguments], needed_paths(root), environment, room, 400)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_an_ordinary_user_scores_behind_the_first_line(room: Path) -> None:
    told = run(room, "-c", SCORING)
    assert told.startswith(f"{USER} graded 20.0 bubblewrap"), told


def test_an_ordinary_user_has_every_promise_of_both_lines(room: Path) -> None:
    root = find_course().root
    options = ("-vv", "-p", "no:cacheprovider", f"--rootdir={root}")
    told = run(room, "-m", "pytest", *options, str(root / "tests" / "test_lines.py"))
    outcomes = [line for line in told.splitlines() if "::test_" in line]
    assert all("PASSED" in line for line in outcomes)
    for line in ("namespaces, bubblewrap", "filters, bubblewrap", "filters, no bubblewrap"):
        assert any(f"[{line}" in outcome for outcome in outcomes), line
