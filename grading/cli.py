"""The commands of ./course: thin, for all that they do is done elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from grading.build import build as build_course
from grading.cohort import find_work, strange_arrivals, strangers_of
from grading.complaints import debugging, plain_errors
from grading.course import Course, CourseError, Plan, assignment_seed, course_secret, find_course, load_plan, read_files
from grading.demo import make_cohorts, plans_with_cohorts
from grading.doctor import examine
from grading.progress import plain_line
from grading.regrade import earlier_results, moved
from grading.retraining_cli import refuse_without_training, retrain_work, trainings
from grading.runners import LocalRunner
from grading.sandboxed import Sandbox, launch_for
from grading.score import score as score_submission
from grading.scoring import Hands, conclude, score_with_progress, usable_cores, write_report
from grading.submission import Submission, overlooked
from grading.trial import as_submission
from grading.verdict import Result

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help="A course on attention, graded."
)

Assignments = Annotated[list[str] | None, typer.Argument(help="Assignments; all where none is named.")]
Root = Annotated[
    Path | None, typer.Option(help="Folder for submitted/, autograded/ and gradebook.db; the course where not given.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of the hidden inputs; the course's own where not given.", min=0, max=2**62)]
Trust = Annotated[bool, typer.Option("--trust-students", help="Score although this machine has no sandbox.")]
Workers = Annotated[int | None, typer.Option(help="Worker processes; one a core where not given, 0 for none.", min=0, max=1000)]
Scheduler = Annotated[str, typer.Option(help="Address of a Dask scheduler whose workers are to score, as tcp://host:8786.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, nothing else.")]


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from; before the command's name.")] = False,
) -> None:
    """Homework on attention that grades itself."""
    debugging.set(debug)


@app.command()
def build() -> None:
    """Make release/ and solutions/ from source/."""
    with plain_errors():
        for built in build_course(find_course()):
            done = [word for word, was in (("released", built.released), ("solved", built.solved)) if was]
            print(f"{built.name}: {' and '.join(done) or 'nothing has changed'}")


@app.command()
def score(
    assignments: Assignments = None,
    root: Root = None,
    as_json: Json = False,
    seed: Seed = None,
    trust_students: Trust = False,
    workers: Workers = None,
    scheduler: Scheduler = "",
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Then repeat the whole training of each submission that has one: minutes each.")
    ] = False,
    sample: Annotated[
        int | None, typer.Option(help="With --retrain: only so many of each assignment, drawn by the course's secret.", min=1)
    ] = None,
) -> None:
    """Score what is in submitted/ and has no result that still stands.

    --retrain runs a student's own model and loop over the whole schedule, in the sandbox of this machine, and puts the curve into
    the report beside the published one and ours. It changes no points. docs/retrain.md tells more.
    """
    with plain_errors():
        course = find_course(root)
        if not course.run_root.is_dir():
            raise CourseError(f"there is no folder {course.run_root}")
        work = find_work(course, assignments or [], seed)
        refuse_without_training(work, assignments or [], retrain, sample)
        for path in overlooked(course.submitted, course.assignments()):
            print(f"course: not looked at, for it is no submission of an assignment here: {path}", file=sys.stderr)
        for name, told in strangers_of(work):
            print(f"course: exam_times.toml has times for {told}, who has handed in no {name}", file=sys.stderr)
        for told in strange_arrivals(course, work):
            print(f"course: {told}", file=sys.stderr)
        scored = score_with_progress(course, work, Hands(workers, scheduler, trust_students), as_json)
        if retrain:
            retrain_work(course, work, scored.results, sample, workers or usable_cores(), as_json, trust_students)
        report = write_report(course, scored.results, trainings(course, work, scored.results), scored.cost)
    if not as_json:
        conclude(scored.results, report)


@app.command()
def regrade(
    assignments: Assignments = None,
    root: Root = None,
    seed: Seed = None,
    trust_students: Trust = False,
    workers: Workers = None,
    scheduler: Scheduler = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say who would move; nothing is written.")] = False,
) -> None:
    """Score again what has changed, and say who moved, from what to what, and why."""
    with plain_errors():
        course = find_course(root)
        work = find_work(course, assignments or [], seed)
        before = earlier_results(course, work)
        after = score_with_progress(course, work, Hands(workers, scheduler, trust_students), only_try=dry_run)
        if not dry_run:
            write_report(course, after.results, trainings(course, work, after.results), after.cost)
    moves = moved(before, after.graded)
    for move in moves:
        print(move.in_words())
    print(f"{len(moves)} of {len(after.graded)} submissions {'would move' if dry_run else 'moved'}.")


@app.command()
def worker(
    scheduler: str, workers: Annotated[int, typer.Option(help="Worker processes; one a core where not given.", min=0)] = 0
) -> None:
    """Score for a Dask scheduler, until it ends."""
    program = [sys.executable, "-P", "-m", "distributed.cli.dask_worker", scheduler]
    options = ["--nworkers", str(workers or usable_cores()), "--nthreads", "1", "--memory-limit", "0", "--no-dashboard"]
    os.execv(sys.executable, [*program, *options])


@app.command()
def new(name: Annotated[str, typer.Argument(help="As in m6_positions.")]) -> None:
    """Lay out a new assignment that builds, is tested and can be scored at once."""
    from grading.outline.layout import lay_out  # nothing else needs it

    with plain_errors():
        home = find_course()
        for path in lay_out(home, name):
            print(path.relative_to(home.root))
    print(f"Next: ./course build, then ./course try {name} tests/zoo/{name}/wrong_sum.py; docs/adding_an_assignment.md goes on.")


@app.command()
def bench(
    assignment: Annotated[str, typer.Argument(help="Where none is named, the first that is the same for everyone.")] = "",
    students: Annotated[int, typer.Option(help="Largest cohort of our own curve: 10, 100, 1000.", min=10)] = 100,
    as_json: Json = False,
) -> None:
    """Measure what a submission costs, beside stock nbgrader on this machine; takes minutes, and wants the machine idle."""
    from grading.bench.speed import in_words, measure_speed, plan_to_measure  # nothing else needs it

    with plain_errors():
        home = find_course()
        speed = measure_speed(home, plan_to_measure(home, assignment), students)
    print(json.dumps(speed.as_dict()) if as_json else "\n".join(in_words(speed)))


@app.command("try")
def try_answers(
    assignment: str,
    files: list[Path],
    as_json: Json = False,
    local: Annotated[bool, typer.Option("--local", help="Run everything in this process, without protection.")] = False,
    seed: Seed = None,
    trust_students: Trust = False,
) -> None:
    """Score Python files as if their definitions had been handed in instead of the solved ones.

    Files that the assignment asks for beside the notebook are taken from the folder that the Python file lies in.
    """
    with plain_errors():
        course = find_course()
        plan = load_plan(course, assignment)
        texts = {str(file): read_answer(file) for file in files}
        decided = assignment_seed(course_secret(course), assignment) if seed is None else seed
        with scorer(plan, decided, local, trust_students) as scoring:
            for name, text in texts.items():
                beside = read_files(Path(name).parent, plan.assignment.handed_in)
                result = scoring(as_submission(plan, name, text, beside))
                print(as_line(result) if as_json else told_in_words(result), flush=True)


def read_answer(file: Path) -> str:
    """The text of an answer file; bytes that are no text stay visible, and make it no Python. Raises CourseError."""
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise CourseError(f"{file} cannot be read: {error}") from error


@contextmanager
def scorer(plan: Plan, seed: int, local: bool, trust_students: bool) -> Iterator[Callable[[Submission], Result]]:
    """A function that scores one submission, in this process or in a sandbox that lives as long as the context."""
    if local:
        yield lambda submission: score_submission(submission, plan, LocalRunner(), seed).result
        return
    with Sandbox(launch_for(trust_students)) as sandbox:
        yield lambda submission: sandbox.score(submission, plan, seed).result


def as_line(result: Result) -> str:
    """A result as one JSON object, as verdicts.json has it, with `file` for `student`."""
    content = result.as_dict()
    return json.dumps({"file": content.pop("student"), **content})


def told_in_words(result: Result) -> str:
    """Points by cell, and the messages of what did not pass."""
    failed = [f"  {check.cell} / {check.check}: {check.message}" for check in result.checks if check.points < check.max_points]
    findings = [f"  found: {finding.message}" for finding in result.findings]
    return "\n".join([plain_line(result), *failed, *findings])


@app.command()
def demo(
    root: Annotated[Path | None, typer.Option(help="Scratch folder; demo/ in the course where not given.")] = None,
) -> None:
    """Build the course, score the sample cohort, print the table and write the report."""
    with plain_errors():
        home = find_course()
        build_course(home)
        course = find_course(root or home.root / "demo")
        course.run_root.mkdir(parents=True, exist_ok=True)
        make_cohorts(home, plans_with_cohorts(home), course.submitted)
        clear_outputs(course)
        # The sample cohort is ours: it may be scored on any machine, with the strongest line of defence there is.
        scored = score_with_progress(course, find_work(course, [], None), Hands(trust_students=True))
        conclude(scored.results, write_report(course, scored.results, cost=scored.cost))


def clear_outputs(course: Course) -> None:
    """Begin the demo's scratch folder anew."""
    shutil.rmtree(course.autograded, ignore_errors=True)
    course.gradebook.unlink(missing_ok=True)


@app.command()
def doctor() -> None:
    """Say what this machine offers, and what is missing."""
    advice = examine(find_course())
    for line in advice:
        print(f"{'well   ' if line.well else 'MISSING'}  {line.name}: {line.found}")
        if line.stops:
            print(f"         stops: {line.stops}")
        if not line.well:
            print(f"         what to do: {line.remedy}")
    raise typer.Exit(0 if all(line.well for line in advice) else 1)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def test(context: typer.Context) -> None:
    """Run every test; what follows is handed to pytest."""
    home = find_course().root
    command = [sys.executable, "-m", "pytest", *(context.args or ["-n", "2", "--dist", "loadscope"])]
    raise typer.Exit(subprocess.run(command, cwd=home).returncode)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, add_help_option=False)
def zoo(context: typer.Context) -> None:
    """Show which check fails on which answer of the zoo, and what that says about the checks; `./course zoo --help` has more."""
    home = find_course().root
    raise typer.Exit(subprocess.run([sys.executable, "-m", "tests.kill_matrix", *context.args], cwd=home).returncode)
