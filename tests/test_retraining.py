"""`score --retrain`: what becomes of every kind of notebook that is trained again, in the real sandbox, on a tiny schedule."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell

from grading.course import Course, course_secret
from grading.retraining_run import lot
from tests.small_course import SmallCourse, make_small_course
from tests.tiny_course import RIGHT, source_notebook

# A notebook that trains: each epoch's share is what the student's `double` makes of it.
TRAINING = """
import os
curve = []
for epoch in range(1, 2 if "COURSE_QUICK_RUN" in os.environ else 4):
    curve.append(double(epoch) / 8)
    print(f"epoch {epoch} of 3: {curve[-1]:.2%}", flush=True)
"""
AFTER = 'raise SystemExit("nothing runs after the training")'
DECLARED = """
import re
from grading.curves import Curve, NoCurve, Retraining, epoch_line, share, shares

RETRAINING = Retraining(
    cell="training",
    epochs=3,
    marks=(2, 3),
    cpu_s=1.0,
    wall_s=4.0,
    question_cpu_s=1.0,
    told=lambda line: epoch_line(re.compile(r"^epoch ([0-9]+) of 3: ([0-9.]+)%"), line),
    by_epoch=lambda student: shares(student.read("curve"), 3),
    final=lambda student: share(student.triple(1) / 4),
    beside=lambda given: (Curve("published", {2: 0.5}, 1.0),),
    remarks=lambda curve, cpu_s, passed: ("look",) if curve.final == 0.25 and "double_doubles" in passed else (),
)
"""


def double(body: str) -> dict[str, str]:
    return RIGHT | {"double_answer": f"def double(x):\n    {body}\n    return 2 * x"}


STUDENTS: dict[str, tuple[dict[str, str] | str, str, dict[str, float], str]] = {
    "right": (RIGHT, "complete", {"1": 0.25, "2": 0.5, "3": 0.75}, ""),
    "looks": (RIGHT | {"triple_answer": "def triple(x):\n    return x"}, "complete", {"1": 0.25, "2": 0.5, "3": 0.75}, ""),
    "loops": (double("while x == 3: pass"), "partial", {"1": 0.25, "2": 0.5}, "1 s of processor time. 2 of 3 epochs are known"),
    "sleeps": (double("import time; time.sleep(x == 3 and 99)"), "partial", {"1": 0.25, "2": 0.5}, "more than 4 s"),
    "raises": (double("assert x != 2, '<b>two</b>'"), "partial", {"1": 0.25}, "raised AssertionError: <b>two</b>"),
    "dies": (double("import os; x == 2 and os._exit(3)"), "partial", {"1": 0.25}, "exit status 3"),
    "nan": (double("x = float('nan') if x == 3 else x"), "partial", {"1": 0.25, "2": 0.5}, "a number that is no share, or nan"),
    "missing": (RIGHT | {"double_answer": ""}, "no curve", {}, "raised NameError"),
    "no model": (RIGHT | {"triple_answer": ""}, "partial", {"1": 0.25, "2": 0.5, "3": 0.75}, "`triple` is not defined"),
    "unreadable": ("no notebook", "no curve", {}, "cannot be read"),
}


@pytest.fixture
def course(tmp_path: Path) -> SmallCourse:
    """A small course whose tiny assignment trains."""
    made = make_small_course(tmp_path)
    checks = made.root / "grader_tests" / "tiny.py"
    declared = DECLARED + "\n\nASSIGNMENT = Assignment(\n    retraining=RETRAINING,"
    checks.write_text(checks.read_text().replace("ASSIGNMENT = Assignment(", declared))
    notebook = source_notebook()
    notebook.cells += [new_code_cell(TRAINING, id="training"), new_code_cell(AFTER, id="after")]
    (made.root / "source" / "tiny" / "tiny.ipynb").write_text(nbformat.writes(notebook))
    return made


def kept(course: SmallCourse) -> dict[str, dict[str, Any]]:
    """What stands in each student's folder."""
    found = (course.root / "autograded").glob("*/tiny/retraining.json")
    return {path.parts[-3]: json.loads(path.read_text()) for path in found}


def marks(course: SmallCourse) -> dict[str, int]:
    """When each student's outcome was written."""
    return {p.parts[-3]: p.stat().st_mtime_ns for p in (course.root / "autograded").glob("*/tiny/retraining.json")}


@pytest.mark.usefixtures("needs_sandbox")
def test_every_kind_of_training_ends_in_a_line_and_costs_nobody_a_point(course: SmallCourse) -> None:
    for student, (answers, *_) in STUDENTS.items():
        course.hand_in(student, answers, RIGHT)
    course.run("score", "--workers", 0, "--seed", 7)
    verdicts, grades = course.verdicts(), course.grades()
    said = course.run("score", "--workers", 2, "--seed", 7, "--retrain")
    assert (course.verdicts(), course.grades()) == (verdicts, grades)
    page = (course.root / "autograded" / "report.html").read_text()
    outcomes = kept(course)
    assert outcomes.keys() == STUDENTS.keys()
    for student, (_, ended, by_epoch, told) in STUDENTS.items():
        made = outcomes[student]
        assert (made["ended"], made["curve"]["by_epoch"]) == (ended, by_epoch), made
        assert told in made["told"], made
        assert f"{student} tiny: {ended}: " in said
    assert (outcomes["right"]["curve"]["final"], outcomes["looks"]["curve"]["final"]) == (0.75, 0.25)
    assert "tiny: the training of 10 of 10 submissions, all of them, at most 1 s of processor time each: dies, looks" in said
    assert "    published: 50.00% after 2, 100.00% of the sealed data" in said
    assert "right tiny: epoch 3 of 3, 75.00%" in said
    assert outcomes["loops"]["cpu_s"] >= 1 > outcomes["sleeps"]["cpu_s"]
    assert "Trainings, repeated: tiny" in page
    assert "&lt;b&gt;two" in page
    assert "<b>two" not in page
    assert page.count("<strong>look</strong>") == 1


@pytest.mark.usefixtures("needs_sandbox")
def test_what_is_done_stands_until_something_changes_that_it_depends_on(course: SmallCourse) -> None:
    for student in ("ada", "bo"):
        course.hand_in(student, RIGHT)
    course.run("score", "--workers", 0, "--retrain")
    first, folders = marks(course), course.written()
    # Another seed writes each student's folder anew; a training has no hidden inputs, and stays.
    assert "bo tiny: complete" in course.run("score", "--workers", 0, "--seed", 8, "--retrain")
    assert folders.keys() == course.written().keys()
    assert not set(folders.values()) & set(course.written().values())
    assert marks(course) == first
    course.hand_in("bo", double("x += 1"))
    course.run("score", "--workers", 0)
    page = (course.root / "autograded" / "report.html").read_text()
    assert page.count("Training curve of ") == page.count("Training curve of ada") == 1  # what is out of date is not shown
    course.run("score", "--workers", 0, "--retrain")
    assert kept(course)["bo"]["curve"]["by_epoch"] == {"1": 0.5, "2": 0.75, "3": 1.0}
    assert marks(course)["ada"] == first["ada"] < marks(course)["bo"]


@pytest.mark.usefixtures("needs_sandbox")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_ended_keeps_what_is_done_and_ends_what_goes_on(course: SmallCourse, sent: signal.Signals) -> None:
    course.hand_in("ada", RIGHT)
    course.hand_in("bo", double("import time; time.sleep(x == 3 and 50)"))
    checks = course.root / "grader_tests" / "tiny.py"
    checks.write_text(checks.read_text().replace("wall_s=4.0", "wall_s=60.0"))
    with course.start("score", "--workers", 0, "--retrain") as run:
        while not kept(course):
            assert run.poll() is None
            time.sleep(0.01)
        started, left = time.monotonic(), psutil.Process(run.pid).children(recursive=True)
        run.send_signal(sent)
        run.communicate(timeout=60)
        assert time.monotonic() - started < 30, "the training that went on was waited for"
    assert not psutil.wait_procs(left, timeout=30)[1], "processes outlive the run"
    assert kept(course).keys() == {"ada"}
    before = marks(course)
    course.hand_in("bo", RIGHT)
    course.run("score", "--workers", 0, "--retrain")
    assert marks(course)["ada"] == before["ada"]
    assert kept(course)["bo"]["ended"] == "complete"


@pytest.mark.usefixtures("needs_sandbox")
def test_json_lines_alone_are_written_for_programs_and_a_sample_is_drawn(course: SmallCourse) -> None:
    for number in range(6):
        course.hand_in(f"student-{number}", RIGHT)
    command = course.command("score", "--workers", 0, "--retrain", "--sample", 2, "--json")
    done = subprocess.run(command, cwd=course.root, env=course.environment(), capture_output=True, text=True, timeout=120)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    drawn = {line["student"] for line in lines if "retraining" in line}
    assert (len(lines), len(drawn)) == (8, 2)
    announced = "2 of 6 submissions, drawn by the course's secret, at most 1 s of processor time each: "
    assert f"{announced}{', '.join(sorted(drawn))}\n" in done.stderr
    secret = course_secret(Course(course.root, course.root))
    ranked = sorted((f"student-{number}" for number in range(6)), key=lambda name: lot(secret, "tiny", name))
    assert kept(course).keys() == drawn == set(ranked[:2])


def test_a_sample_or_a_training_that_there_cannot_be_is_refused(course: SmallCourse) -> None:
    course.hand_in("ada", RIGHT, RIGHT)
    assert "--sample" in course.run("score", "--sample", 2, status=2)
    assert "no training to repeat in other" in course.run("score", "other", "--retrain", status=2)
    assert not (course.root / "autograded").exists()
