"""The commands of ./course: thin, for all that they do is done elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from grading.build import BuildError
from grading.build import build as build_course
from grading.checks import NoSuchAssignment
from grading.cohort import NoSandbox, Work, find_work, launch_for, listed, score_all
from grading.course import Course, CourseError, Plan, assignment_seed, course_secret, find_course, load_plan
from grading.demo import NoCohort, first_with_cohort, make_cohort
from grading.doctor import examine
from grading.files import replace_file
from grading.gradebook import GradebookError
from grading.report.page import render_report
from grading.report.table import render_table
from grading.runners import LocalRunner
from grading.sandbox.warm import SandboxFault
from grading.sandboxed import Sandbox
from grading.score import score as score_submission
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
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, nothing else.")]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Faults of the course or of the arguments as one sentence and exit status 2."""
    try:
        yield
    except (CourseError, NoSuchAssignment, NoSandbox, GradebookError, NoCohort, SandboxFault) as error:
        print(f"course: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    except OSError as error:
        print(f"course: {error.filename or 'a file'} cannot be used: {error.strerror}", file=sys.stderr)
        raise typer.Exit(2) from error
    except BuildError as error:
        for fault in error.faults:
            print(f"course: {fault}", file=sys.stderr)
        raise typer.Exit(1) from error


@app.command()
def build() -> None:
    """Make release/ and solutions/ from source/."""
    with plain_errors():
        for built in build_course(find_course()):
            done = [word for word, was in (("released", built.released), ("solved", built.solved)) if was]
            print(f"{built.name}: {' and '.join(done) or 'nothing has changed'}")


@app.command()
def score(
    assignments: Assignments = None, root: Root = None, as_json: Json = False, seed: Seed = None, trust_students: Trust = False
) -> None:
    """Score everything in submitted/."""
    with plain_errors():
        course = find_course(root)
        if not course.run_root.is_dir():
            raise CourseError(f"there is no folder {course.run_root}")
        work = find_work(course, assignments or [], seed)
        for path in overlooked(course.submitted, course.assignments()):
            print(f"course: not looked at, for it is no submission of an assignment here: {path}", file=sys.stderr)
        results = score_with_progress(course, work, trust_students, as_json)
        report = write_report(course, results)
    if not as_json:
        conclude(results, report)


def score_with_progress(course: Course, work: Sequence[Work], trust_students: bool, as_json: bool) -> list[Result]:
    """Score with a progress bar on a terminal, a plain line a submission elsewhere, JSON where asked for."""
    launch = launch_for(trust_students)
    console = Console(stderr=True)
    if as_json:
        return score_all(course, work, launch, lambda result: print(json.dumps(result.as_dict()), flush=True))
    if not console.is_terminal:
        return score_all(course, work, launch, lambda result: print(plain_line(result), flush=True))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("scoring", total=len(work))
        return score_all(course, work, launch, lambda result: progress.update(task, advance=1, description=result.student))


def plain_line(result: Result) -> str:
    """A result for a log."""
    points = f"{result.points:g}/{result.max_points:g}"
    told = points if result.status == "graded" else f"ungraded, at least {points}"
    return f"{result.student} {result.assignment}: {told} ({result.seconds:.1f} s)"


def write_report(course: Course, results: Sequence[Result]) -> Path:
    """Write autograded/report.html; where it lies."""
    path = course.autograded / "report.html"
    replace_file(path, render_report(results, "Scoring report").encode())
    return path


def conclude(results: Sequence[Result], report: Path) -> None:
    """The table, what a person must do, and where the report lies."""
    if not results:
        print("There is nothing to score: submitted/<student>/<assignment>/ holds no submission.")
        return
    Console().print(render_table(listed(results)))
    ungraded = [r for r in results if r.status != "graded"]
    for result in ungraded:
        reason = result.findings[-1].message if result.findings else "a check could not be decided"
        print(
            f"ungraded: {result.student} {result.assignment}: {reason} Look at it, and ask for another copy or grade it by hand."
        )
    print(f"sandbox: {results[0].sandbox}")
    print(f"report: {report}")


@app.command("try")
def try_answers(
    assignment: str,
    files: list[Path],
    as_json: Json = False,
    local: Annotated[bool, typer.Option("--local", help="Run everything in this process, without protection.")] = False,
    seed: Seed = None,
    trust_students: Trust = False,
) -> None:
    """Score Python files as if their definitions had been handed in instead of the solved ones."""
    with plain_errors():
        course = find_course()
        plan = load_plan(course, assignment)
        texts = {str(file): read_answer(file) for file in files}
        decided = assignment_seed(course_secret(course), assignment) if seed is None else seed
        with scorer(plan, decided, local, trust_students) as scoring:
            for name, text in texts.items():
                result = scoring(as_submission(plan, name, text))
                print(as_line(result) if as_json else in_words(result), flush=True)


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


def in_words(result: Result) -> str:
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
        plan = load_plan(home, first_with_cohort(home))
        make_cohort(home, plan, course.submitted)
        clear_outputs(course)
        # The sample cohort is ours: it may be scored on any machine, with the strongest line of defence there is.
        results = score_with_progress(course, find_work(course, [], None), True, False)
        conclude(results, write_report(course, results))


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
