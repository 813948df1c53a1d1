"""The nbgrader bridge: `nbgrader autograde`, with our scoring in the place of a kernel. Installed by nbgrader_config.py.

nbgrader still finds the submissions, skips what has been graded, runs hooks, and keeps the gradebook. What it would do with a
submission itself (follow symlinks, trust its files, run hidden checks in the student's own kernel, stop the class's run at
a file that is no notebook) is not done: a submission is read once, as bytes, and scored as `./course score` scores it.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import shutil
import sysconfig
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from nbgrader.apps import api, autogradeapp
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from traitlets import Bool

from grading.checks import NoSuchAssignment
from grading.cohort import Work
from grading.course import (
    Course,
    CourseError,
    Plan,
    assignment_seed,
    course_secret,
    drawn_plan,
    load_plan,
    require_secret,
    variant_of,
)
from grading.export import read_timestamp, write_folder
from grading.gradebook import GradebookError, GradebookWriter, late_penalty, without_programs
from grading.lock import only_run
from grading.results import Edition, Finished, read_edition
from grading.sandbox.launch import choose_launch
from grading.sandboxed import Sandbox
from grading.times import Arrivals, read_arrivals

_REFUSAL = (
    "There is no sandbox on this machine (neither bubblewrap with user namespaces nor Landlock with seccomp), so that students' "
    "code would run with the rights of this account. `./course doctor` says more. Where every student is trusted, grade all the "
    "same with --CourseAutograde.trust_students=True"
)


def install(root: str) -> None:
    """Put our converter in the place of nbgrader's, which is hard-wired under two names, and our reading of timestamps."""
    without_programs()
    if shutil.which("alembic") is None:  # `nbgrader db upgrade` starts it by name
        prepend("PATH", sysconfig.get_path("scripts"))
    prepend("PYTHONPATH", root)  # the kernel of `nbgrader generate_solution` finds the checks there
    autogradeapp.Autograde = CourseAutograde
    api.Autograde = CourseAutograde
    # The stock readings end the run, and the formgrader's pages, at a timestamp.txt that is none.
    CourseDirectory.get_existing_timestamp = _existing_timestamp
    api.NbGraderAPI.get_submitted_timestamp = _submitted_timestamp


def prepend(variable: str, folder: str) -> None:
    """Put a folder first in one of the environment's lists, once."""
    others = [part for part in os.environ.get(variable, "").split(os.pathsep) if part and part != folder]
    os.environ[variable] = os.pathsep.join([folder, *others])


def _existing_timestamp(self: CourseDirectory, folder: str) -> datetime | None:
    return read_timestamp(Path(folder))


def _submitted_timestamp(self: api.NbGraderAPI, assignment: str, student: str) -> datetime | None:
    directory = self.coursedir
    return read_timestamp(Path(directory.format_path(directory.submitted_directory, student, assignment)))


@dataclass(frozen=True)
class Run:
    """What all submissions of one run share."""

    plan: Plan
    edition: Edition
    seed: int
    secret: bytes
    arrivals: Arrivals
    gradebook: GradebookWriter
    sandbox: Sandbox


class CourseAutograde(Autograde):
    """nbgrader's autograde for this course. Made by `nbgrader autograde` and by the formgrader, which call `start`."""

    trust_students = Bool(False, help="Whether to grade without a sandbox where this machine has none.").tag(config=True)

    def init_notebooks(self) -> None:
        """Find the folders of the submissions, and in each the one notebook that there should be, whether or not it is there."""
        assignment = self.coursedir.assignment_id
        pattern = self._format_source(assignment, self.coursedir.student_id)
        folders = {folder for folder in (pattern, *glob.glob(pattern)) if os.path.lexists(folder)}
        matched = fnmatch.fnmatch(assignment, self.coursedir.notebook_id)
        self.assignments = {folder: [os.path.join(folder, f"{assignment}.ipynb")] for folder in folders if matched}
        self.notebooks: list[str] = []
        if not self.assignments:
            self._refuse(f"No submissions were matched by '{pattern}' (notebook '{self.coursedir.notebook_id}')")

    def convert_notebooks(self) -> None:
        """Grade everything with one sandbox and one gradebook; say at the end what a person must look at."""
        self._waiting: list[tuple[str, str]] = []
        with ExitStack() as stack:
            self._run = self._begin(stack)
            super().convert_notebooks()
        for student, reason in self._waiting:
            self.log.warning("%s is ungraded and waits for a person: %s", student, reason)

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy nothing; refuse a student whom the gradebook does not know, if it was asked to."""
        if not self.create_student and not self._run.gradebook.knows_student(student_id):
            self._refuse(f"No student with ID '{student_id}' exists in the database")

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Score one submission and write its result, to the gradebook first: its folder in autograded/ says that all is done."""
        names = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        inbox, run = Path(notebook_filename).parent, self._run
        self.log.info("Scoring %s", inbox)
        variant = variant_of(run.plan, run.secret, names["student"])
        work = Work(names["student"], inbox, run.plan, run.edition, run.seed, variant, run.arrivals)
        task, own = work.task(), drawn_plan(run.plan, variant)
        finished = Finished.of(own, run.sandbox.score(task.submission, own, run.seed), task.basis)
        run.gradebook.write(run.plan, [(finished, work.arrival)])
        write_folder(Path(self._format_dest(names["assignment"], names["student"])), inbox, task.submission, finished)
        if finished.result.status == "ungraded":
            reasons = [finding.message for finding in finished.result.findings] or ["a check could not be decided"]
            self._waiting.append((names["student"], reasons[-1]))

    def _begin(self, stack: ExitStack) -> Run:
        root, name = Path(self.coursedir.root), self.coursedir.assignment_id
        launch = choose_launch()
        if not launch.sandboxed and not self.trust_students:
            self._refuse(_REFUSAL)
        try:
            course = Course(root, root)
            plan = load_plan(course, name)
            if plan.template is not None:
                require_secret(course, f"the papers of {name} cannot be drawn again")
            secret = course_secret(course)
            arrivals = read_arrivals(course, name)
            seed = assignment_seed(secret, name)
            penalty = late_penalty(AssignLatePenalties(parent=self))
            stack.enter_context(only_run(course))
            gradebook = stack.enter_context(GradebookWriter(self.coursedir.db_url, self.coursedir.course_id, penalty))
            gradebook.prepare(plan)
        except (CourseError, NoSuchAssignment, GradebookError) as error:
            self._refuse(str(error))
        sandbox = stack.enter_context(Sandbox(launch))
        return Run(plan, read_edition(course, plan), seed, secret, arrivals, gradebook, sandbox)

    def _refuse(self, message: str) -> NoReturn:
        self.log.error(message)
        raise NbGraderException(message)
