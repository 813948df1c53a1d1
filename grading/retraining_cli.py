"""`./course score --retrain` as a person sees it: who is trained, how far each is, what came of it."""

from __future__ import annotations

import glob
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial

from grading.cohort import Work, find_work
from grading.course import Course, CourseError, course_secret
from grading.curves import Curve
from grading.export import RETRAINING
from grading.progress import in_time, print_line
from grading.results import read_graded
from grading.retraining import Retrained
from grading.retraining_run import Comparison, Told, Trainee, compare, draw, find_trainees, retrain_all
from grading.sandboxed import launch_for
from grading.verdict import Result


def retrain_work(
    course: Course, work: Sequence[Work], results: Sequence[Result], sample: int | None, at_once: int, as_json: bool, trust: bool
) -> None:
    """Repeat trainings, and tell of it; how far each is goes to stderr where stdout is for a program.

    Raises CourseError, NoSandbox.
    """
    launch = launch_for(trust)
    trainees = draw(find_trainees(course, work), course_secret(course), sample)
    say: Callable[[str], None] = partial(print, file=sys.stderr, flush=True) if as_json else print_line
    for name in sorted({one.assignment for one in trainees}):
        of_it = [one for one in trainees if one.assignment == name]
        say(announcement(name, of_it, sum(one.plan.assignment.name == name for one in work), sample))
        for curve in of_it[0].beside:
            say(f"    {curve.name}: {curve_in_words(curve, of_it[0].retraining.marks)}")

    def done(one: Trainee, made: Retrained) -> None:
        (comparison,) = compare([one], {(one.assignment, one.work.student): made}, results)
        print_line(as_line(made, comparison) if as_json else outcome_in_words(made, comparison))

    retrain_all(course, trainees, launch, at_once, Told(partial(tell_epoch, say), done))


def refuse_without_training(work: Sequence[Work], named: Sequence[str], retrain: bool, sample: int | None) -> None:
    """Say at once where there is nothing to repeat. Raises CourseError."""
    if sample is not None and not retrain:
        raise CourseError("--sample says how many trainings are repeated, and goes with --retrain")
    if retrain and work and not any(one.plan.assignment.retraining for one in work):
        raise CourseError(f"there is no training to repeat in {', '.join(named) or 'what was handed in'}")


def announcement(name: str, trainees: Sequence[Trainee], of: int, sample: int | None) -> str:
    """Who is trained, and what that may take."""
    most_s = trainees[0].retraining.cpu_s
    chosen = "drawn by the course's secret" if sample is not None else "all of them"
    who = ", ".join(one.work.student for one in trainees)
    return (
        f"{name}: the training of {len(trainees)} of {of} submissions, {chosen}, at most {in_time(most_s)} "
        f"of processor time each: {who}"
    )


def tell_epoch(say: Callable[[str], None], one: Trainee, epoch: int, share: float) -> None:
    """How far a training is; both numbers were read from what the notebook printed, and nothing else of it is shown."""
    say(f"{one.work.student} {one.assignment}: epoch {epoch} of {one.retraining.epochs}, {share:.2%}")


def curve_in_words(curve: Curve, marks: Sequence[int]) -> str:
    """The shares at some epochs, and at the end."""
    known = [f"{curve.by_epoch[epoch]:.2%} after {epoch}" for epoch in marks if epoch in curve.by_epoch]
    known += [f"{curve.final:.2%} of the sealed data"] if curve.final is not None else []
    return ", ".join(known) or "nothing known"


def outcome_in_words(made: Retrained, comparison: Comparison) -> str:
    """A repeated training for a log, with what a person should know."""
    head = f"{made.student} {made.assignment}: {made.ended}: {curve_in_words(made.curve, comparison.marks)}"
    took = f"({made.cpu_s:.0f} s of processor time, {in_time(made.elapsed_s)})"
    more = [made.told] if made.told else []
    return "\n".join([f"{head} {took}", *(f"    {line}" for line in [*more, *comparison.remarks[made.student]])])


def as_line(made: Retrained, comparison: Comparison) -> str:
    """A repeated training as one JSON object."""
    content = {name: value for name, value in made.as_dict().items() if name not in ("student", "assignment")}
    remarks = list(comparison.remarks[made.student])
    return json.dumps({"student": made.student, "assignment": made.assignment, "retraining": {**content, "remarks": remarks}})


def trainings(course: Course, work: Sequence[Work], results: Sequence[Result]) -> list[Comparison]:
    """The last repeated trainings of what is handed in now, from this run or an earlier one, for the report.

    Those of assignments that this run was not asked for are among them, as their results are.
    """
    asked = {one.plan.assignment.name for one in work}
    left = [name for name in course.assignments() if name not in asked and trained(course, name)]
    others = find_work(course, left, None) if left else []
    earlier = [one for one in (read_graded(course.autograded / w.student / w.plan.assignment.name) for w in others) if one]
    return comparisons(course, [*work, *others], [*results, *(one.result for one in earlier)])


def trained(course: Course, assignment: str) -> bool:
    """Whether any training of an assignment has been repeated."""
    return any(course.autograded.glob(f"*/{glob.escape(assignment)}/{RETRAINING}"))


def comparisons(course: Course, work: Sequence[Work], results: Sequence[Result]) -> list[Comparison]:
    """The last repeated trainings of some work, beside its results."""
    kept = [one for one in work if (course.autograded / one.student / one.plan.assignment.name / RETRAINING).is_file()]
    trainees = find_trainees(course, kept)
    known = {(one.assignment, one.work.student): made for one in trainees if (made := one.known()) is not None}
    return compare(trainees, known, results)
