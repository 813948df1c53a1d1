"""A cohort's results depend on what was handed in and on nothing else; a run that was ended goes on where it was."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.small_course import LOOPS, SmallCourse, fill, make_small_course
from tests.tiny_course import HALF, RIGHT

pytestmark = pytest.mark.usefixtures("needs_sandbox")
BUSY = "import time\nend = time.monotonic() + 120\nwhile time.monotonic() < end: pass"


@pytest.fixture
def course(tmp_path: Path) -> SmallCourse:
    return make_small_course(tmp_path)


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """So many processes that want all of the machine, for two minutes at the most."""
    with ExitStack() as stack:
        loops = [stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY])) for _ in range(number)]
        try:
            yield
        finally:
            for loop in loops:
                loop.kill()


def test_results_do_not_depend_on_workers_order_or_load(course: SmallCourse) -> None:
    """One process, two workers, one worker with the students in another order, two beside eight busy loops: byte for byte."""
    fill(course, 12)
    course.hand_in("loops", LOOPS)
    course.run("score", "--workers", 0, "--seed", 7)
    verdicts, notebooks, grades = course.verdicts(), course.notebooks(), course.grades()
    assert len(verdicts) == 25
    assert len(grades) == 3 * len(verdicts)
    for arguments, loops in ((("--workers", 2), 0), (("--workers", 1, "tiny", "other"), 0), (("--workers", 2), 8)):
        subprocess.run(["rm", "-r", "autograded", "gradebook.db"], cwd=course.root, check=True)
        with busy_loops(loops):
            course.run("score", "--seed", 7, *arguments)
        assert course.verdicts() == verdicts
        assert course.notebooks() == notebooks
        assert course.grades() == grades


def test_what_has_been_graded_is_graded_again_only_where_something_has_changed(course: SmallCourse) -> None:
    fill(course, 6)
    course.run("score", "--workers", 0, "--seed", 7)
    first = course.written()
    said = course.run("score", "--workers", 0, "--seed", 7)
    assert "12 of them stand" in said
    assert course.written() == first
    checks = course.root / "grader_tests" / "tiny.py"
    checks.write_text(checks.read_text().replace("student.double(21) != 42", "student.double(4) != 8"))
    course.run("score", "--workers", 0, "--seed", 7)
    changed = {name for name, mark in course.written().items() if first[name] != mark}
    assert changed == {name for name in first if name.endswith("/tiny")}
    second = course.written()
    course.hand_in("student-000", HALF)
    course.run("score", "--workers", 0, "--seed", 7)
    assert {name for name, mark in course.written().items() if second[name] != mark} == {"autograded/student-000/tiny"}
    assert course.verdicts()["student-000/tiny"]["points"] == 2


def test_a_lost_gradebook_is_written_anew_without_grading(course: SmallCourse) -> None:
    fill(course, 6)
    course.run("score", "--workers", 0, "--seed", 7)
    written, grades = course.written(), course.grades()
    (course.root / "gradebook.db").unlink()
    course.run("score", "--workers", 0, "--seed", 7)
    assert course.grades() == grades
    assert course.written() == written


def test_regrade_says_who_moved_from_what_to_what_and_why(course: SmallCourse) -> None:
    course.hand_in("ada", RIGHT, RIGHT)
    course.hand_in("bo", HALF, HALF)
    course.run("score", "--workers", 0, "--seed", 7)
    before, grades = course.written(), course.grades()
    checks = course.root / "grader_tests" / "tiny.py"
    checks.write_text(checks.read_text().replace("student.triple(14) != 42", "student.triple(0) != 0"))
    expected = """bo tiny: 2/5 -> 5/5
    triple_triples: FAIL (0) -> PASS (3)
    because: the assignment or its checks have changed
"""
    said = course.run("regrade", "--workers", 0, "--seed", 7, "--dry-run")
    assert said.endswith(expected + "1 of 4 submissions would move.\n")
    assert (course.written(), course.grades()) == (before, grades)
    assert course.run("regrade", "--workers", 0, "--seed", 7).endswith(expected + "1 of 4 submissions moved.\n")
    assert course.verdicts()["bo/tiny"]["points"] == 5
    assert course.run("regrade", "--workers", 0, "--seed", 7).endswith("\n0 of 4 submissions moved.\n")


def test_a_second_run_on_the_same_root_says_so_and_stops(course: SmallCourse) -> None:
    course.hand_in("loops", LOOPS)
    with course.start("score", "--workers", "0") as first:
        lock = course.root / ".scoring.lock"
        while not (course.root / "gradebook.db").exists():  # the lock is held before the gradebook is made
            assert first.poll() is None
        assert lock.exists()
        assert "another run is scoring" in course.run("score", "--workers", 0, status=2)
        first.communicate(timeout=120)
    assert first.returncode == 0
    assert course.verdicts()["loops/tiny"]["points"] == 2


def test_a_persons_scores_survive_a_regrade(course: SmallCourse) -> None:
    course.hand_in("bo", HALF)
    course.run("score", "--workers", 0, "--seed", 7)
    code = "import sys\nfrom nbgrader.api import Gradebook\nwith Gradebook(sys.argv[1], 'attention') as book:\n"
    code += "    grade = book.find_grade('triple', 'tiny', 'tiny', 'bo')\n    grade.manual_score = 1.5\n    book.db.commit()\n"
    subprocess.run([sys.executable, "-c", code, f"sqlite:///{course.root}/gradebook.db"], check=True)
    course.run("regrade", "--workers", 0, "--seed", 8)
    assert [row[4] for row in course.grades() if row[2] == "triple"] == [1.5]


def test_a_run_survives_the_end_of_any_process_at_any_moment(course: SmallCourse) -> None:
    """Twenty random moments; after each, what had been written stays as it was, and the end is that of an undisturbed run."""
    fill(course, 18)
    started = time.monotonic()
    course.run("score", "--workers", 2, "--seed", 7)
    lasts_s = time.monotonic() - started
    undisturbed = course.verdicts(), course.grades(), course.notebooks()
    draw, written = random.Random(20_240), course.written()
    for _ in range(20):
        if len(written) == len(undisturbed[0]):
            assert (course.verdicts(), course.grades(), course.notebooks()) == undisturbed
            subprocess.run(["rm", "-r", "autograded", "gradebook.db"], cwd=course.root, check=True)
            written = {}
        victim = draw.choice(list(VICTIMS))
        left = end_one(course, victim, draw.uniform(0.3, 1.0) * lasts_s)
        assert not psutil.wait_procs(left, timeout=60)[1], f"processes outlive the run whose {victim} was ended"
        kept = course.written()
        assert {name: kept[name] for name in written} == written, victim
        written = kept
    course.run("score", "--workers", 2, "--seed", 7)
    assert (course.verdicts(), course.grades(), course.notebooks()) == undisturbed


def test_a_worker_that_is_ended_while_it_starts_costs_the_run_nothing(course: SmallCourse) -> None:
    """The first worker there is, as soon as there is one: before it is prepared, or said to be there."""
    fill(course, 4)
    left = end_one(course, "worker", 0.0)
    assert not psutil.wait_procs(left, timeout=60)[1]
    disturbed = course.verdicts(), course.grades(), course.notebooks()
    subprocess.run(["rm", "-r", "autograded", "gradebook.db"], cwd=course.root, check=True)
    course.run("score", "--workers", 2, "--seed", 7)
    assert (course.verdicts(), course.grades(), course.notebooks()) == disturbed


def is_worker(process: psutil.Process) -> bool:
    return any("spawn_main" in part for part in process.cmdline())


VICTIMS: dict[str, Callable[[psutil.Process], bool]] = {
    "coordinator": lambda process: any(part == "grading" for part in process.cmdline()),
    "worker": is_worker,
    "sandbox": lambda process: any(part == "inside.parent" for part in process.cmdline()),
}


def end_one(course: SmallCourse, victim: str, after_s: float) -> list[psutil.Process]:
    """End one process of a run, once so much time has gone by and there is such a process; the run's other processes then.

    Where a coordinator has lived on, its run must have ended well.
    """
    with course.start("score", "--workers", 2, "--seed", 7) as run:
        time.sleep(after_s)
        processes: list[psutil.Process] = []
        coordinator = psutil.Process(run.pid)
        while run.poll() is None:
            with suppress(psutil.NoSuchProcess):
                processes = [coordinator, *coordinator.children(recursive=True)]
                if found := [process for process in processes if VICTIMS[victim](process)]:
                    found[-1].kill()
                    break
            time.sleep(0.01)
        said = run.communicate(timeout=240)[0]
    assert run.returncode == (-signal.SIGKILL if victim == "coordinator" else 0) or "sandbox: " in said, said
    return processes
