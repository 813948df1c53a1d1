"""Times of an exam: whose end is when, by whose clock a submission is late, and when feedback may be given."""

from __future__ import annotations

import csv
import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import grading.paper_cli  # noqa: F401  # adds the commands
from grading import gradebook
from grading.collect import arrived
from grading.course import Course, CourseError, find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import write
from grading.results import Finished
from grading.runners import LocalRunner
from grading.score import score
from grading.submission import Submission
from grading.times import Arrival, read_arrivals, read_collected, read_times, record_collected, strange_lines
from tests.tiny_course import Place

EXAM = "exam_attention"
NOON = datetime(2026, 6, 15, 12, tzinfo=UTC)
FILE = """
[exam_attention]
opens = 2026-06-15T14:00:00+02:00
minutes = 90

[exam_attention.students.ann]
minutes = 120

[exam_attention.students.bob]
opens = 2026-06-16T12:00:00Z

[exam_attention.students.eve]
closes = 2026-06-15T13:00:00Z
"""


def course(root: Path, times: str = FILE, collected: str = "") -> Course:
    (root / "exam_times.toml").write_text(times)
    if collected:
        (root / "collected.csv").write_text("student,assignment,moment\n" + collected)
    return Course(find_course().root, root)


def minutes(**more: float) -> datetime:
    return NOON + timedelta(**more)


def test_a_student_without_a_line_has_the_usual_time_and_an_exception_its_own(tmp_path: Path) -> None:
    times = read_times(course(tmp_path), EXAM)
    assert times is not None
    ends = {name: times.of(name).ends for name in ("zoe", "ann", "bob", "eve")}
    assert ends == {
        "zoe": minutes(minutes=90),
        "ann": minutes(minutes=120),
        "bob": minutes(days=1, minutes=90),
        "eve": minutes(minutes=60),
    }
    assert times.of("ann").opens == NOON
    assert times.last_end == ends["bob"]
    assert read_times(course(tmp_path), "m1_attention") is None


def test_a_closing_moment_of_the_exam_is_moved_by_a_length_of_ones_own(tmp_path: Path) -> None:
    text = FILE.replace("minutes = 90", "minutes = 90\ncloses = 2026-06-15T18:00:00Z")
    times = read_times(course(tmp_path, text), EXAM)
    assert times is not None
    assert times.of("zoe").ends == minutes(hours=6)
    assert times.of("ann").ends == minutes(minutes=120)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("2026-06-15T14:00:00+02:00", "2026-06-15T14:00:00", "exam_attention: opens must be a date and time with an offset"),
        ("2026-06-15T14:00:00+02:00", '"noon"', "exam_attention: opens must be"),
        ("minutes = 90", "", "exam_attention, bob: minutes must be a number above 0 and at most 527040, or closes must be given"),
        ("minutes = 120", "minutes = -5", "exam_attention, ann: minutes must be"),
        ("minutes = 120", "minutes = true", "exam_attention, ann: minutes must be"),
        ("minutes = 120", "minutes = nan", "exam_attention, ann: minutes must be"),
        ("minutes = 120", "minutes = inf", "exam_attention, ann: minutes must be"),
        ("minutes = 120", "minutes = 1e18", "exam_attention, ann: minutes must be"),
        ("minutes = 120", "minutes = 120\ncloses = 2026-06-15T16:00:00Z", "ann: closes and minutes are both given"),
        ("2026-06-15T14:00:00+02:00", "0001-01-01T00:00:00+02:00", "exam_attention: opens: there is no such moment"),
        ("[exam_attention]", "[exam]\nminutes = 90\n[exam_attention]", "there is no assignment 'exam'; the course has"),
        ("minutes = 120", "hours = 2", "exam_attention, ann: hours is not known"),
        ("2026-06-15T13:00:00Z", "2026-06-15T11:00:00Z", "exam_attention, eve: it closes before it opens"),
        ("[exam_attention]", "[exam_attention", "exam_times.toml: "),
    ],
)
def test_a_faulty_file_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = FILE.replace(old, new, 1)
    if not new:
        text = text.replace("[exam_attention.students.ann]", "closes = 2026-06-15T18:00:00Z\n[exam_attention.students.ann]")
    with pytest.raises(CourseError) as caught:
        read_times(course(tmp_path, text), EXAM)
    assert told in str(caught.value)


# By whose clock.


def arrival(place: Course, student: str, folder: Path) -> Arrival:
    return read_arrivals(place, EXAM).of(student, folder)


def inbox(root: Path, timestamp: str = "2020-01-01 00:00:00 UTC") -> Path:
    folder = root / "submitted" / "zoe" / EXAM
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "timestamp.txt").write_text(timestamp)
    os.utime(folder / "timestamp.txt", (0, 0))
    return folder


@pytest.mark.parametrize(
    ("student", "moment", "late_s", "kinds"),
    [
        ("zoe", "2026-06-15T13:29:59Z", 0, []),
        ("zoe", "2026-06-15T15:30:00+02:00", 0, []),
        ("zoe", "2026-06-15T13:31:30Z", 90, ["late"]),
        ("ann", "2026-06-15T13:31:30Z", 0, []),
        ("bob", "2026-06-15T13:31:30Z", 0, ["early"]),
        ("eve", "2026-06-15T13:31:30Z", 1890, ["late"]),
    ],
)
def test_lateness_is_counted_from_the_collectors_record(
    tmp_path: Path, student: str, moment: str, late_s: float, kinds: list[str]
) -> None:
    found = arrival(course(tmp_path, collected=f"{student},{EXAM},{moment}\n"), student, inbox(tmp_path))
    assert (found.late_s, [f.kind for f in found.findings]) == (late_s, kinds)
    assert found.moment is not None
    assert found.moment.tzinfo is None


def test_a_name_is_the_same_however_its_accents_are_written(tmp_path: Path) -> None:
    composed, apart = "\u00c9va", "E\u0301va"
    for written, folder in ((composed, apart), (apart, composed)):
        times = FILE.replace("students.ann", f'students."{written}"')
        place = course(tmp_path, times, f"{written},{EXAM},2026-06-15T13:45:00Z\n")
        found = arrival(place, folder, inbox(tmp_path))
        assert (found.late_s, found.findings) == (0, ())
    record_collected(place, apart, EXAM, NOON)
    assert list(read_collected(place)) == [(composed, EXAM)]


def test_a_students_own_timestamp_says_nothing_about_an_exam_with_times(tmp_path: Path) -> None:
    folder = inbox(tmp_path)
    found = arrival(course(tmp_path), "zoe", folder)
    assert (found.moment, found.late_s, [f.kind for f in found.findings]) == (None, 0, ["no-moment"])
    without = arrival(course(tmp_path, ""), "zoe", folder)
    assert (without.moment, without.late_s, without.findings) == (datetime(2020, 1, 1), None, ())


def test_a_record_is_added_and_changed_and_odd_names_survive(tmp_path: Path) -> None:
    place = course(tmp_path)
    for student, day in (("Nagy, Éva", 1), ('"zoe"', 2), ("Nagy, Éva", 3)):
        record_collected(place, student, EXAM, datetime(2026, 6, day, tzinfo=UTC))
    assert read_collected(place) == {
        ("Nagy, Éva", EXAM): datetime(2026, 6, 3, tzinfo=UTC),
        ('"zoe"', EXAM): datetime(2026, 6, 2, tzinfo=UTC),
    }
    with open(tmp_path / "collected.csv", newline="") as file:
        assert [len(row) for row in csv.reader(file)] == [3, 3, 3]


@pytest.mark.parametrize("line", ["zoe,exam_attention", "zoe,exam_attention,yesterday", "zoe,exam_attention,2026-06-15T12:00:00"])
def test_a_faulty_record_is_told(tmp_path: Path, line: str) -> None:
    with pytest.raises(CourseError, match=r"collected.csv, line 2"):
        read_collected(course(tmp_path, collected=line + "\n"))


def test_a_line_for_nobody_is_told_and_costs_nobody_else_anything(tmp_path: Path) -> None:
    lines = f"zoe,{EXAM},2026-06-15T13:00:00Z\nan,{EXAM},2026-06-15T13:01:00Z\nann,exam_atention,2026-06-15T13:02:00Z\n"
    place = course(tmp_path, collected=lines + "ann,m1_attention,2026-06-15T13:03:00Z\n")
    known = ", ".join(place.assignments())
    assert strange_lines(place, {EXAM: ["zoe", "ann", "bob"]}) == [
        f"collected.csv, line 3: nobody called 'an' has handed in {EXAM}; without a line there: ann, bob",
        f"collected.csv, line 4: there is no assignment 'exam_atention'; the course has {known}",
    ]
    assert strange_lines(place, {}) == []
    assert (arrival(place, "zoe", inbox(tmp_path)).late_s, arrival(place, "ann", inbox(tmp_path)).late_s) == (0, 0)
    assert [f.kind for f in arrival(place, "ann", inbox(tmp_path)).findings] == ["no-moment"]


def test_a_record_in_another_encoding_is_told(tmp_path: Path) -> None:
    place = course(tmp_path)
    (tmp_path / "collected.csv").write_bytes("student,assignment,moment\n".encode("utf-16"))
    with pytest.raises(CourseError, match=r"collected.csv is no text in UTF-8"):
        read_collected(place)


def test_the_exchange_clock_cannot_be_set_back(tmp_path: Path) -> None:
    before = datetime.now(UTC) - timedelta(seconds=5)
    (tmp_path / "exam.ipynb").write_text("{}")
    os.utime(tmp_path / "exam.ipynb", (0, 0))
    os.utime(tmp_path, (0, 0))
    assert before < arrived(tmp_path) < datetime.now(UTC) + timedelta(seconds=5)


# Penalties: nbgrader's own plug-in, told how late it was.


def test_the_late_penalty_is_asked_with_the_seconds_that_the_exam_file_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []

    def penalty(student: str, points: float, late: float) -> float:
        told.append((student, points, late))
        return 3.0

    plan = load_plan(find_course(), EXAM)
    scored = score(Submission("practice", EXAM, write(hand_in(plan, "")).encode()), plan, LocalRunner(), 1)
    with gradebook.GradebookWriter(f"sqlite:///{tmp_path}/gradebook.db", "attention", penalty) as book:
        book.write(plan, [(Finished.of(plan, scored, None), Arrival(datetime(2026, 6, 15), 90.0))])
        book.write(plan, [(Finished.of(plan, scored, None), Arrival(datetime(2026, 6, 15), 0.0))])
    assert told == [("practice", 50.0, 90.0)]


def test_nbgrader_collect_writes_down_the_moment_of_the_exchange(tmp_path: Path) -> None:
    """The folder's name, which the student's program chose, says 2020; the exchange's files changed now."""
    shutil.copy(find_course().root / "nbgrader_config.py", tmp_path)
    (tmp_path / "grading").symlink_to(find_course().root / "grading")
    (tmp_path / "grader_tests").mkdir()
    inbound = tmp_path / "exchange" / "attention" / "inbound" / f"zoe+{EXAM}+2020-01-01 00:00:00 UTC+abc"
    inbound.mkdir(parents=True)
    (inbound / f"{EXAM}.ipynb").write_text("{}")
    (inbound / "timestamp.txt").write_text("2020-01-01 00:00:00 UTC")
    before = datetime.now(UTC) - timedelta(minutes=1)
    Place(tmp_path).nbgrader("collect", EXAM, f"--Exchange.root={tmp_path / 'exchange'}", "--ExchangeCollect.check_owner=False")
    assert (tmp_path / "submitted" / "zoe" / EXAM / f"{EXAM}.ipynb").read_text() == "{}"
    moments = read_collected(Course(tmp_path, tmp_path))
    assert list(moments) == [("zoe", EXAM)]
    assert before < moments["zoe", EXAM] < datetime.now(UTC) + timedelta(minutes=1)
