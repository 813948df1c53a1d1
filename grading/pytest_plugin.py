"""`pytest grader_tests`: every check a test item, against the solved notebook or against one submission.

    pytest grader_tests                                   the solved notebooks
    pytest grader_tests --submission PATH                 a submission's folder or notebook, in the sandbox
    pytest grader_tests --submission PATH --local --pdb   in this process, where a debugger can look in

An item asks its question itself, so that a failure shows the check's own line, and an error in local code its traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grading.checks import Check, CheckFailed, CheckForbidden, check_generator
from grading.course import Plan, assignment_seed, course_secret, find_course, load_plan, personal_plan, solved_files
from grading.notebooks import UnreadableNotebook, open_notebook, write
from grading.rebuild import Rebuilt, rebuild
from grading.runners import LocalRunner, Runner, SandboxRunner, Stay, open_apart
from grading.sandbox.warm import WarmParent
from grading.sandboxed import NoSandbox, launch_for
from grading.score import cells_to_run, files_beside
from grading.student import HandedIn, Student
from grading.submission import Submission, collect


@dataclass(frozen=True)
class Opened:
    """A notebook that has been run and can be asked."""

    stay: Stay
    rebuilt: Rebuilt
    seed: int
    handed_in: HandedIn


@dataclass(frozen=True)
class Desk:
    """What a session keeps open: the runner and the notebooks, by assignment."""

    stack: ExitStack
    opened: dict[str, Opened]
    runners: list[Runner]


DESK = pytest.StashKey[Desk]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of `pytest grader_tests`."""
    group = parser.getgroup("checks")
    group.addoption(
        "--submission", metavar="PATH", help="a submission's folder or notebook, to be checked in place of the solved one"
    )
    group.addoption("--local", action="store_true", help="run it in this process, without protection, for -x and --pdb")
    group.addoption("--trust-students", action="store_true", help="run it although this machine has no sandbox")
    group.addoption("--check-seed", type=int, metavar="N", help="seed of the hidden inputs; the course's own where not given")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CheckFile | None:
    """The modules of grader_tests that are assignments."""
    course = find_course()
    if file_path.parent == course.root / "grader_tests" and file_path.stem in course.assignments():
        return CheckFile.from_parent(parent, path=file_path)
    return None


def pytest_sessionstart(session: pytest.Session) -> None:
    """Nothing is opened before an item asks for it."""
    session.stash[DESK] = Desk(ExitStack(), {}, [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Close notebooks and runner."""
    session.stash[DESK].stack.close()


class CheckFile(pytest.File):
    """The checks of one assignment."""

    def collect(self) -> Iterator[CheckItem]:
        """One item a check; none where the submission is another assignment's."""
        plan = _plan(self.config, self.path.stem)
        if _assignment_of(self.config) in (None, self.path.stem):
            for check in plan.assignment.checks:
                yield CheckItem.from_parent(self, name=check.name, check=check, plan=plan)


class CheckItem(pytest.Item):
    """One check."""

    def __init__(self, *, check: Check, plan: Plan, **rest: Any) -> None:
        super().__init__(**rest)
        self.check, self.plan = check, plan

    def runtest(self) -> None:
        """Ask, and let whatever is raised be seen."""
        opened = _open(self)
        opened.stay.begin_check()
        student = Student(opened.stay, self.check.cell, opened.rebuilt.answers, handed_in=opened.handed_in)
        self.check.question(student, check_generator(opened.seed, self.check.name))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]  # wider than pytest's
        """A failed check in its own words; anything else as pytest shows it."""
        error = excinfo.value
        if isinstance(error, CheckFailed):
            told = {"came back": error.came, "expected": error.expected, "known mistake": error.mistake, "hint": error.hint}
            return "\n".join([f"checked: {self.check.about}", *(f"{word}: {text}" for word, text in told.items() if text)])
        if isinstance(error, (CheckForbidden, NotReadable)):
            return str(error)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the check is written."""
        return self.path, self.check.question.__code__.co_firstlineno, f"{self.plan.assignment.name}: {self.check.name}"


class NotReadable(Exception):
    """The submission is no notebook."""


def _assignment_of(config: pytest.Config) -> str | None:
    """The assignment that a submission's path names; None where it names none, or no submission is given."""
    path = config.getoption("--submission")
    names = (Path(path).stem, Path(path).name, Path(path).resolve().parent.name) if path else ()
    return next((name for name in names if name in find_course().assignments()), None)


def _plan(config: pytest.Config, name: str) -> Plan:
    """The plan of the student whose folder a submission lies in; the practice paper where no submission is given."""
    plan, given = load_plan(find_course(), name), config.getoption("--submission")
    if given is None or plan.template is None:
        return plan
    path = Path(given).resolve()
    folder = path if path.is_dir() else path.parent
    return personal_plan(plan, course_secret(find_course()), folder.parent.name)


def _open(item: CheckItem) -> Opened:
    """The notebook of an item, run on first use."""
    desk, name = item.session.stash[DESK], item.plan.assignment.name
    if name not in desk.opened:
        seed = item.config.getoption("--check-seed")
        decided = assignment_seed(course_secret(find_course()), name) if seed is None else seed
        submission = _submission(item.config, item.plan)
        if submission.content is None:
            raise NotReadable(submission.reason)
        try:
            rebuilt = rebuild(open_notebook(submission.content).notebook, item.plan.blueprint)
        except UnreadableNotebook as error:
            raise NotReadable(str(error)) from error
        cells = cells_to_run(rebuilt, item.plan)
        runner, limits = _runner(item.config, desk), item.plan.assignment.limits
        stay = desk.stack.enter_context(runner.open(cells, files_beside(submission, item.plan), limits))
        stay.run_cells()
        handed_in = HandedIn(submission.files, partial(open_apart, runner, limits, stay))
        desk.opened[name] = Opened(stay, rebuilt, decided, handed_in)
    return desk.opened[name]


def _submission(config: pytest.Config, plan: Plan) -> Submission:
    name, given = plan.assignment.name, config.getoption("--submission")
    if given is None:
        content = write(plan.blueprint.notebook).encode()
        return Submission("the solved notebook", name, content, files=solved_files(find_course(), plan.assignment))
    path = Path(given)
    if not path.exists():
        raise pytest.UsageError(f"--submission: {path} does not exist")
    if path.is_file():
        return Submission(path.stem, name, path.read_bytes())
    return collect(path.resolve().parent.name, path.resolve(), plan.assignment)


def _runner(config: pytest.Config, desk: Desk) -> Runner:
    """This process for --local and for the solved notebook, which is ours; otherwise a sandbox."""
    if not desk.runners:
        if config.getoption("--local") or config.getoption("--submission") is None:
            desk.runners.append(LocalRunner())
        else:
            try:
                launch = launch_for(bool(config.getoption("--trust-students")))
            except NoSandbox as error:
                raise pytest.UsageError(str(error)) from error
            desk.runners.append(SandboxRunner(desk.stack.enter_context(WarmParent(launch))))
    return desk.runners[0]
