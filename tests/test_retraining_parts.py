"""Repeated trainings, part by part: who is drawn, what is heard and read, what is compared; and those of m5_date_rematch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from nbformat.v4 import new_code_cell

from grader_tests.m5 import retraining as m5
from grader_tests.references import rematch
from grading.course import Plan, find_course, solved_files
from grading.curves import Curve, Listener, NoCurve, Retraining, share, shares
from grading.demo import hand_in
from grading.notebooks import write
from grading.report import render_report
from grading.retraining import Ended, Retrained, prepare, retrain
from grading.retraining_run import Comparison, Trainee, draw, lot, solved_curve
from grading.sandbox.launch import choose_launch
from grading.sandbox.warm import Starved
from grading.sandboxed import Sandbox
from grading.student import local_student
from grading.submission import Submission
from tests.m5_names import NAME, date_task, plan
from tests.zoo_files import weights_of

NAN, INF = float("nan"), float("inf")
TINY = Retraining(
    cell="training",
    epochs=3,
    marks=(3,),
    cpu_s=1.0,
    wall_s=1.0,
    question_cpu_s=1.0,
    told=m5.told,
    by_epoch=lambda student: {},
    final=lambda student: 0.0,
)


def trainee(work: Any) -> Trainee:
    return Trainee(work, TINY, "", Path())


def test_a_sample_depends_on_the_secret_and_on_nothing_else() -> None:
    class Work:
        def __init__(self, student: str) -> None:
            self.student, self.plan = student, plan()

    students = [f"student {i}" for i in range(40)]
    work = [trainee(Work(student)) for student in students]

    def drawn(secret: bytes, pool: list[Trainee], sample: int | None) -> list[str]:
        return [one.work.student for one in draw(pool, secret, sample)]

    first = drawn(b"a", work, 5)
    assert len(first) == 5
    assert sorted(first) == sorted(drawn(b"a", work[::-1], 5))
    assert set(first) < set(drawn(b"a", work, 6))
    assert first != drawn(b"b", work, 5)
    assert drawn(b"a", work, None) == drawn(b"a", work, 99) == students
    assert lot(b"a", "m5", "ada") != lot(b"a", "m6", "ada")


class FakeSandbox:
    """A sandbox that fails as soon as it is used."""

    def __init__(self, error: Exception) -> None:
        self.error, self.closed = error, False

    def session(self, *arguments: Any) -> Any:
        raise self.error

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("error", "told"), [(Starved("the machine is too busy"), "too busy"), (KeyError("ours"), "KeyError")])
def test_a_fault_of_the_machine_is_told_and_tried_again(error: Exception, told: str) -> None:
    sandbox = FakeSandbox(error)
    content = write(hand_in(plan(), "")).encode()
    made = retrain(Submission("ada", NAME, content), plan(), m5.RETRAINING, sandbox, lambda epoch, share: None)  # type: ignore[arg-type]
    assert made.ended is Ended.UNDECIDED
    assert told in made.told
    assert (made.may_stand, sandbox.closed) == (False, True)
    assert Retrained.from_dict(json.loads(json.dumps(made.as_dict()))) == made


@pytest.mark.parametrize("value", [None, "0.5", {1: 0.5}, [True], [NAN], [INF], [-0.1], [1.01], [[0.5]], [0.5] * 4])
def test_what_is_no_curve_is_refused(value: Any) -> None:
    with pytest.raises(NoCurve):
        shares(value, 3)


def test_whole_numbers_and_tuples_are_shares_too() -> None:
    assert shares((0, 0.5, 1), 3) == {1: 0.0, 2: 0.5, 3: 1.0}
    assert share(1) == 1.0


def test_what_is_heard_is_bounded() -> None:
    """Epochs count up by one to the last; lines come in any pieces, and may be endless."""
    told: list[tuple[int, float]] = []
    listener = Listener(TINY, lambda epoch, value: told.append((epoch, value)))
    line = b"epoch  %d of 25   loss 1.0   exact match  %d.00%%      3 s\n"
    for piece in (line % (2, 9), (line % (1, 10))[:20], (line % (1, 10))[20:], b"x" * 10**7, b"\n", line % (1, 11), b"\xff\n"):
        listener(piece)
    listener((line % (2, 20) + line % (3, 30) + line % (4, 40)) * 1000 + line % (3, 101))
    assert told == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert listener.by_epoch == dict(told)
    assert len(listener._begun) < 1000


def test_a_notebook_is_told_not_to_train_unless_it_is_to_be_trained() -> None:
    assert choose_launch().quick
    assert not replace(choose_launch(), quick=False).quick


# m5_date_rematch.


def solved(plan: Plan) -> Submission:
    return Submission("ada", NAME, write(hand_in(plan, "")).encode(), files=solved_files(find_course(), plan.assignment))


def test_the_solved_notebook_has_the_published_curve() -> None:
    """What its training printed is read as any student's would be."""
    (curve,) = solved_curve(find_course(), plan(), m5.RETRAINING)
    assert curve.epochs == len(curve.by_epoch) == date_task().EPOCHS == m5.EPOCHS
    published, *_ = m5.PUBLISHED
    assert {epoch: curve.by_epoch[epoch] for epoch in published.by_epoch} == published.by_epoch


def test_the_curves_beside_are_the_published_ones_and_the_frozen_one() -> None:
    *_, frozen = m5.beside(plan().given)
    fixed = m5.PUBLISHED[1]
    assert (frozen.epochs, len(frozen.by_epoch)) == (m5.EPOCHS, m5.EPOCHS)
    assert all(abs(frozen.by_epoch[epoch] - share) < 0.01 for epoch, share in fixed.by_epoch.items())
    assert min(value for epoch, value in frozen.by_epoch.items() if epoch > 8) > 0.79  # what LEAST_HONEST is argued from


def test_a_notebook_is_trained_without_what_was_handed_in_beside_it() -> None:
    attempt = prepare(solved(plan()), plan(), m5.RETRAINING)
    assert "train_schedule" in attempt.cells[-1].source
    assert attempt.files.keys() == set(plan().assignment.given)
    other = replace(solved(plan()), files={})
    assert prepare(other, plan(), m5.RETRAINING).basis("") == attempt.basis("")
    assert attempt.basis("") != attempt.basis("another edition")


def test_the_trained_model_is_measured_on_the_graders_side() -> None:
    model = date_task().FixedStateDateModel(37, 14)
    assert m5.final(local_student({"model": model}, "")) < 0.01
    trained = rematch.AttentiveDateModel(37, 14)
    trained.load_state_dict(weights_of(solved_files(find_course(), plan().assignment)["rematch.pt"]))
    assert m5.final(local_student({"model": trained}, "")) >= 0.98
    trained.greedy_decode = lambda source, lengths: torch.zeros(2, 3)  # type: ignore[assignment, method-assign]
    with pytest.raises(NoCurve):
        m5.final(local_student({"model": trained}, ""))


def test_remarks_are_made_only_where_something_is_known() -> None:
    whole = Curve("ada", dict.fromkeys(range(1, m5.EPOCHS + 1), 0.0), 0.0)
    audited = frozenset({"weights_exact"})
    assert len(m5.remarks(whole, 1.0, audited)) == 2
    assert len(m5.remarks(whole, 200.0, audited)) == 1
    assert m5.remarks(whole, 200.0, frozenset()) == ()
    assert m5.remarks(replace(whole, final=0.93), 200.0, audited) == ()
    assert m5.remarks(replace(whole, by_epoch={1: 0.0}), 200.0, audited) == ()


def test_the_real_notebook_trains_as_far_as_a_short_schedule_goes(needs_sandbox: None) -> None:
    """The student's own cell shortens the schedule, which is seen; the model that comes out is asked about the sealed dates."""
    notebook = hand_in(plan(), "")
    at = next(i for i, cell in enumerate(notebook.cells) if cell.id == "schedule")
    notebook.cells.insert(at + 1, new_code_cell("EPOCHS, TRAIN_PAIRS, VALIDATION_SOURCES = 2, 64, 8"))
    told: list[int] = []
    with Sandbox(replace(choose_launch(), quick=False)) as sandbox:
        submission = Submission("ada", NAME, write(notebook).encode())
        made = retrain(submission, plan(), m5.RETRAINING, sandbox, lambda epoch, share: told.append(epoch))
    assert (made.ended, made.told) == (Ended.PARTIAL, "2 of 25 epochs are known.")
    assert told == [1, 2] == list(made.curve.by_epoch)
    assert made.curve.final == 0.0


def test_the_report_says_nothing_of_trainings_where_there_are_none() -> None:
    assert "Trainings, repeated" not in render_report([], "Report")
    made = Retrained("ada", "tiny", Ended.COMPLETE, "", Curve("ada", {1: 0.1, 2: 0.9}, 1.0), 1.0, 2.0)
    assert "Trainings, repeated" not in render_report([], "Report", [Comparison("tiny", (2,), 2, (), (made,), {"ada": ()})])
