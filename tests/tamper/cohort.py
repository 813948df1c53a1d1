"""A class of attackers with honest students among them, scored once by the real machine in a course of its own."""

from __future__ import annotations

import hashlib
import inspect
import os
import select
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from grading.cohort import find_work, score_all
from grading.course import Course
from grading.crew import Alone
from grading.notebooks import write
from grading.sandbox.launch import Launch
from grading.sandboxed import Sandbox
from grading.scoring import write_report
from grading.verdict import Result
from tests.tamper import folders, links, metadata
from tests.tamper.attack import Claim, CodeAttack, Targets, read_claim, read_code_attacks
from tests.tamper.notebooks import NAME, attacked_notebook, base_notebook

REPOSITORY = Path(__file__).resolve().parents[2]
# In the order of names: before all attackers, among them (after those that harm, too), and after all.
HONEST = ("0-honest-student", "harm-honest-student", "protocol-honest-student", "survivors-honest-student", "z-honest-student")
# Two seconds a check: to make and send 272 MB takes most of one, and that attack is to be met by the bound on frames.
SHORT = {"cell_cpu_s": 1.5, "cell_wall_s": 3.0, "check_cpu_s": 2.0, "check_wall_s": 4.0, "grace_s": 0.2}
SHORTER = {"cell_after_timeout_cpu_s": 0.3, "check_after_timeout_cpu_s": 0.3}
_LARGE = 60_000_000
_LATE_S = 1.5  # how long detached children have for their mischief before it is looked for


@dataclass(frozen=True)
class Attack:
    """An attack that can be put into a class: who hands in, what is claimed, and what fills the folder."""

    name: str
    claim: Claim
    fill: Callable[[Path, Targets], None]

    @property
    def student(self) -> str:
        """Who hands it in; no name is part of another."""
        return self.claim.student or f"{self.name}-student"


@cache
def attacks() -> Mapping[str, Attack]:
    """Every attack, by name."""
    found = [Attack(a.name, a.claim, partial(_fill_with_code, a)) for a in read_code_attacks().values()]
    for group, module, fill in (
        ("metadata", metadata, _fill_with_metadata),
        ("folder", folders, _fill_folder),
        ("link", links, _fill_folder),
    ):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and "earns: " in (function.__doc__ or ""):
                claim = read_claim(inspect.getdoc(function))
                found.append(Attack(f"{group}-{name}".replace("_", "-"), claim, partial(fill, function, claim)))
    return {attack.name: attack for attack in found}


def _fill_with_code(attack: CodeAttack, folder: Path, targets: Targets) -> None:
    _write(folder, attacked_notebook(attack, targets))


def _fill_with_metadata(change: Callable[[NotebookNode], None], claim: Claim, folder: Path, targets: Targets) -> None:
    notebook = base_notebook(claim.base)
    change(notebook)
    _write(folder, notebook)


def _fill_folder(fill: Callable[[Path, bytes, Targets], None], claim: Claim, folder: Path, targets: Targets) -> None:
    fill(folder, write(base_notebook(claim.base)).encode(), targets)


def _write(folder: Path, notebook: NotebookNode) -> None:
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_text(write(notebook))


@dataclass(frozen=True)
class Scored:
    """A class that has been scored, and what was there before and after."""

    root: Path
    results: Mapping[str, Result]
    report: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    left_running: tuple[str, ...]
    reached: tuple[str, ...]

    def folder(self, student: str) -> Path:
        """Where a student's results lie."""
        return self.root / "course" / "autograded" / student / NAME


def make_course(root: Path, secret: str) -> Course:
    """A course in a folder of its own: what an instructor writes, and a canary beside it."""
    course = root / "course"
    for name in ("source", "release", "solutions", "grader_tests"):
        shutil.copytree(REPOSITORY / name, course / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "nbgrader_config.py", course)
    (course / "grading").symlink_to(REPOSITORY / "grading")
    (course / "submitted").mkdir()
    (course / ".course_secret").write_text(secret + "\n")
    (root / "canary").mkdir()
    (root / "canary" / "canary.txt").write_text("nobody may touch this\n")
    return Course(course, course)


def score_class(root: Path, secret: str, launch: Launch, chosen: Mapping[str, Attack]) -> Scored:
    """Put attackers and honest students into a course and score them all, as `./course score` does, with short limits."""
    course = make_course(root, secret)
    token = f"tamper-{os.getpid()}-{time.monotonic_ns()}"
    marked = replace(launch, environment={**launch.environment, "TAMPER_TOKEN": token})
    with ExitStack() as stack:
        doors = {name: stack.enter_context(door) for name, door in open_doors(token).items()}
        port = str(doors["a loopback port"].getsockname()[1])
        targets = Targets(str(course.root), str(REPOSITORY), str(root / "canary"), port, token, str(os.getpid()))
        fill_inbox(course, chosen, targets)
        before = {**snapshot(root), **snapshot_repository()}
        results = _score(course, marked)
        report = write_report(course, results).read_text()
        time.sleep(_LATE_S if chosen else 0)
        reached = tuple(name for name, door in doors.items() if select.select([door], [], [], 0)[0])
    after = {**snapshot(root), **snapshot_repository()}
    by_student = {result.student: result for result in results}
    return Scored(root, by_student, report, before, after, tuple(processes_with(token)), reached)


def open_doors(name: str) -> dict[str, socket.socket]:
    """Servers that an attacker may try to reach; whoever connects waits in the queue, and is found there."""
    local = socket.socket(socket.AF_UNIX)
    local.bind(f"\0{name}")
    local.listen()
    return {"a loopback port": socket.create_server(("127.0.0.1", 0)), "an abstract socket": local}


def fill_inbox(course: Course, chosen: Mapping[str, Attack], targets: Targets) -> None:
    """Everything that is handed in."""
    for student in HONEST:
        _write(course.submitted / student / NAME, base_notebook("solved"))
    for attack in chosen.values():
        attack.fill(course.submitted / attack.student / NAME, targets)


def _score(course: Course, launch: Launch) -> list[Result]:
    work = find_work(course, [NAME], None)
    assignment = work[0].plan.assignment
    limits = replace(assignment.limits, **SHORT, **SHORTER)  # type: ignore[arg-type]  # all of them are floats
    plan = replace(work[0].plan, assignment=replace(assignment, limits=limits))
    with Sandbox(launch) as sandbox:
        crew = Alone(sandbox, {NAME: plan})
        short = [replace(one, plan=plan) for one in work]
        return [one.result for one in score_all(course, short, lambda work: nullcontext(crew), lambda outcome: None)]


def snapshot(root: Path) -> dict[str, str]:
    """Every file under a folder with its kind, rights and content, save what scoring is there to write."""
    found = {}
    for folder, names, files in os.walk(root):
        if Path(folder).name == "course" and Path(folder).parent == root:
            names[:] = [name for name in names if name not in ("autograded", "grading")]
            files = [name for name in files if not name.startswith("gradebook.db") and name != ".scoring.lock"]
        for name in [*names, *files]:
            path = os.path.join(folder, name)
            found[path] = describe(path)
    return found


def snapshot_repository() -> dict[str, str]:
    """The same of the repository's own code and notebooks."""
    folders = ("grading", "grader_tests", "source", "release", "solutions")
    paths = [path for name in folders for path in (REPOSITORY / name).rglob("*") if path.suffix in (".py", ".ipynb")]
    return {str(path): describe(str(path)) for path in [*paths, REPOSITORY / "nbgrader_config.py", REPOSITORY / "course"]}


def describe(path: str) -> str:
    """Kind, rights, and content; of large files the size and the moment of the last change."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return f"link to {os.readlink(path)}"
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGE:
        size = f"{status.st_size} {status.st_mtime_ns}" if stat.S_ISREG(status.st_mode) else ""
        return f"{status.st_mode:o} {size}"
    return f"{status.st_mode:o} {hashlib.sha256(Path(path).read_bytes()).hexdigest()}"


def processes_with(token: str) -> Iterator[str]:
    """Processes of this machine that were started with a token in their environment."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if token.encode() in (entry / "environ").read_bytes():
                    yield (entry / "cmdline").read_text()
            except OSError:
                continue


def make_feedback(scored: Scored, root: Path, students: list[str]) -> Mapping[str, str]:
    """The pages that `nbgrader generate_feedback` makes of some students' results, in a copy of the course."""
    course = scored.root / "course"
    for name in ("nbgrader_config.py", "gradebook.db"):
        shutil.copy(course / name, root)
    for package in ("grading", "grader_tests"):
        (root / package).symlink_to(REPOSITORY / package)
    shutil.copytree(course / "source", root / "source")
    for student in students:
        shutil.copytree(scored.folder(student), root / "autograded" / student / NAME)
    own = {"PATH": "/usr/bin:/bin", "HOME": str(root), "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
    command = [str(Path(sys.executable).parent / "nbgrader"), "generate_feedback", NAME]
    done = subprocess.run(command, cwd=root, env=own, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    pages = {student: root / "feedback" / student / NAME / f"{NAME}.html" for student in students}
    return {student: page.read_text() for student, page in pages.items()}
