"""When feedback on an exam may be given: by ./course, and by nbgrader's own command."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from nbgrader.converters.base import NbGraderException
from traitlets.config import Config
from typer.testing import CliRunner

import grading.paper_cli  # noqa: F401  # adds the commands
from grading import feedback, gradebook
from grading.cli import app
from grading.course import find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import write
from grading.results import Finished
from grading.runners import LocalRunner
from grading.score import score
from grading.submission import Submission
from grading.times import Arrival, feedback_refusal
from tests.test_exam_times import EXAM, FILE, course, minutes


def test_feedback_waits_for_the_last_student(tmp_path: Path) -> None:
    place = course(tmp_path)
    assert feedback_refusal(place, EXAM, minutes(days=1, minutes=89)) == (
        "feedback on exam_attention waits until 2026-06-16 13:30:00 UTC, when the last student (bob) has finished"
    )
    assert feedback_refusal(place, EXAM, minutes(days=1, minutes=90)) == ""
    assert feedback_refusal(place, "m1_attention", minutes()) == ""


def test_feedback_on_an_exam_waits_until_its_end_is_written_down(tmp_path: Path) -> None:
    """A times file that is missing, or lies elsewhere, must not mean that the exam is over."""
    place = course(tmp_path, "")
    assert feedback_refusal(place, EXAM, minutes(days=400)).startswith(
        "feedback on exam_attention waits until exam_times.toml says"
    )
    assert feedback_refusal(place, "m1_attention", minutes()) == ""
    (tmp_path / "exam_times.toml").unlink()
    assert "waits until" in feedback_refusal(place, EXAM, minutes(days=400))


LATER = FILE.replace("2026-06-16", f"{datetime.now(UTC).year + 2}-06-16")


def test_the_command_refuses_while_somebody_writes_and_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course(tmp_path, LATER)
    monkeypatch.setattr(feedback.subprocess, "run", lambda *a, **k: pytest.fail("nbgrader was started"))
    result = CliRunner().invoke(app, ["feedback", EXAM, "--root", str(tmp_path)])
    assert result.exit_code == 2
    assert "waits until" in result.output
    result = CliRunner().invoke(app, ["feedback", "exam", "--root", str(tmp_path)])
    assert (result.exit_code, "no assignment 'exam'" in result.output) == (2, True)


def test_nbgraders_own_command_is_refused_too(tmp_path: Path) -> None:
    """By the times beside the submissions, wherever these lie."""
    course(tmp_path, LATER)
    asked = feedback.TimelyFeedback(config=Config(CourseDirectory={"root": str(tmp_path)}))
    with pytest.raises(NbGraderException, match="waits until 20"):
        asked.preprocess(None, {"nbgrader": {"assignment": EXAM}})


def test_the_command_makes_feedback_by_the_times_of_another_folder(tmp_path: Path) -> None:
    """Nbgrader itself is run on one submission; the course's own folder has no times, or others."""
    place, plan = course(tmp_path, FILE.replace("2026-", "2020-")), load_plan(find_course(), EXAM)
    submission = Submission("zoe", EXAM, write(hand_in(plan, "")).encode())
    finished = Finished.of(plan, score(submission, plan, LocalRunner(), 1), None)
    with gradebook.GradebookWriter(f"sqlite:///{place.gradebook}", "attention", lambda *_: None) as book:
        book.write(plan, [(finished, Arrival(None))])
    folder = place.autograded / "zoe" / EXAM
    folder.mkdir(parents=True)
    (folder / f"{EXAM}.ipynb").write_text(write(hand_in(plan, "")))
    feedback.make_feedback(place, EXAM, minutes())
    assert (tmp_path / "feedback" / "zoe" / EXAM / f"{EXAM}.html").is_file()


def test_afterwards_nbgrader_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    class Done:
        returncode = 0

    def run(command: list[str], cwd: Path) -> Done:
        asked.append(command[1:])
        return Done()

    monkeypatch.setattr(feedback.subprocess, "run", run)
    feedback.make_feedback(course(tmp_path), EXAM, minutes(days=2))
    assert asked[0][:3] == ["generate_feedback", EXAM, "--force"]
    assert f"--CourseDirectory.root={tmp_path}" in asked[0]
