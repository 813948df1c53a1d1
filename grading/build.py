"""Build: release/ and solutions/ from source/, after holding the notebooks, the checks and the agreed points together.

Nothing is written while anything is wrong, and nothing is rewritten that has not changed.
"""

from __future__ import annotations

import copy
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.checks import NoSuchAssignment
from grading.course import Course, Plan, load_plan, read_files, solved_files
from grading.files import fill_folder, replace_file
from grading.leaks import release_faults
from grading.notebooks import grade_id, is_machine_graded, write
from grading.sandbox.bubble import QUICK_RUN
from grading.source_faults import shared_grade_ids, source_faults

_EXECUTION_TIMEOUT_S = 600


class BuildError(Exception):
    """The course cannot be built; one line a fault, each naming the cell."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Built:
    """What a build did for one assignment."""

    name: str
    released: bool
    solved: bool


def build(course: Course) -> list[Built]:
    """Build every assignment. Raises BuildError, having written nothing, where any is at fault."""
    plans, faults = {}, []
    for name in course.assignments():
        try:
            plans[name] = load_plan(course, name)
        except NoSuchAssignment as error:
            faults.append(str(error))
    for plan in plans.values():
        faults += source_faults(plan, course.source / plan.assignment.name)
    faults += shared_grade_ids(plans)
    releases = {} if faults else {name: release_notebook(plan.blueprint.notebook) for name, plan in plans.items()}
    for name, notebook in releases.items():
        given = read_files(course.source / name, plans[name].assignment.given)
        faults += release_faults(name, plans[name].blueprint.notebook, notebook, given)
    if faults:
        raise BuildError(faults)
    made = []
    for name, plan in plans.items():
        try:
            made.append(make(course, plan, releases[name]))
        except BuildError as error:
            faults += error.faults
    if faults:
        raise BuildError(faults)
    return [assignment.write(course) for assignment in made]


@dataclass(frozen=True)
class Made:
    """The files of one assignment, before any is written; no solution where the one that is there still holds."""

    name: str
    release: Mapping[str, bytes]
    solution: Mapping[str, bytes] | None

    def write(self, course: Course) -> Built:
        """Write what has changed."""
        released = fill_folder(course.release / self.name, self.release)
        solved = self.solution is not None and fill_folder(course.solutions / self.name, self.solution)
        return Built(self.name, released, solved)


def make(course: Course, plan: Plan, release: NotebookNode) -> Made:
    """One assignment's release and, where its source or the lock has changed, its solution. Raises BuildError.

    What a student would hand in beside the solved notebook is not made here, but stays where it lies.
    """
    name = plan.assignment.name
    given = read_files(course.source / name, plan.assignment.given)
    solved = solve(course, plan, given)
    keys = {file: text.encode() for file, text in (plan.assignment.key() if plan.assignment.key else {}).items()}
    if solved is None and not all(_holds(course.solutions / name / file, content) for file, content in keys.items()):
        solved = nbformat.read(course.solutions / name / f"{name}.ipynb", as_version=4)
    beside = {**solved_files(course, plan.assignment), **given, **keys}
    solution = None if solved is None else {f"{name}.ipynb": write(solved).encode(), **beside}
    return Made(name, {f"{name}.ipynb": write(release).encode(), **given}, solution)


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


def release_notebook(source: NotebookNode) -> NotebookNode:
    """What students get, by nbgrader's own preprocessors in the order of `nbgrader generate_assignment`."""
    from nbgrader import preprocessors as nbgrader_steps

    steps = ("LockCells", "ClearSolutions", "ClearOutput", "CheckCellMetadata", "ComputeChecksums", "ClearHiddenTests")
    notebook: NotebookNode = copy.deepcopy(source)
    resources: dict[str, Any] = {"nbgrader": {}}
    for step in (*steps, "ClearMarkScheme", "ComputeChecksums", "CheckCellMetadata"):
        notebook, resources = getattr(nbgrader_steps, step)().preprocess(notebook, resources)
    return notebook


def solve(course: Course, plan: Plan, given: Mapping[str, bytes]) -> NotebookNode | None:
    """The solved notebook, executed; None where nothing it depends on has changed. Raises BuildError naming a cell that fails."""
    name = plan.assignment.name
    depends = depends_on(course, plan, given)
    target = course.solutions / name / f"{name}.ipynb"
    if target.is_file() and _built_from(target) in (depends, depends_on(course, plan, given, run_in_full=True)):
        return None
    notebook = execute(plan, {**solved_files(course, plan.assignment), **given}, course.root)
    notebook.metadata["course"] = {"built_from": depends}
    return notebook


def depends_on(course: Course, plan: Plan, given: Mapping[str, bytes], run_in_full: bool = False) -> str:
    """The hash of what a solution is made of: the notebook, of a personal one as it was drawn, the given files and the lock.

    One that took minutes of training to run in full is not thrown away for another version of a package.
    """
    name, is_drawn = plan.assignment.name, plan.template is not None
    source = write(plan.blueprint.notebook).encode() if is_drawn else (course.source / name / f"{name}.ipynb").read_bytes()
    depends = hashlib.sha256()
    lock = b"run in full" if run_in_full else (course.root / "requirements.lock").read_bytes()
    for part in (source, *given.values(), lock):
        depends.update(hashlib.sha256(part).digest())
    return depends.hexdigest()


def _built_from(path: Path) -> str | None:
    try:
        found = nbformat.read(path, as_version=4).metadata.get("course", {}).get("built_from")
    except Exception:  # a damaged generated file is made anew
        return None
    return found if isinstance(found, str) else None


def execute(plan: Plan, given: Mapping[str, bytes], root: Path) -> NotebookNode:
    """Run the solved notebook in a Jupyter kernel, as students do, and see that every graded cell shows its full points.

    `given` are all files beside it. Nobody waits for a build to train: the notebook is told to run quickly.
    """
    folder = Path(tempfile.mkdtemp(prefix="course-build-"))
    try:
        return run_solved(plan, given, root, folder, QUICK_RUN)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_solved(
    plan: Plan, given: Mapping[str, bytes], root: Path, folder: Path, own: Mapping[str, str], timeout_s: int | None = None
) -> NotebookNode:
    """The solved notebook, run in `folder` with variables `own`. Raises BuildError: a cell fails or earns too little."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = copy.deepcopy(plan.blueprint.notebook)
    begun: list[NotebookNode] = []
    for name, content in given.items():
        replace_file(folder / name, content)
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONHASHSEED": "0", **own}
    place = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=timeout_s or _EXECUTION_TIMEOUT_S, record_timing=False, resources=place)
    client.extra_arguments = ["--log-level=ERROR"]
    client.on_cell_execute = lambda cell, cell_index: begun.append(cell)
    try:
        client.execute(env=environment)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        title = (grade_id(begun[-1]) or begun[-1].get("id")) if begun else "?"
        told = f"{error.ename}: {error.evalue}" if isinstance(error, CellExecutionError) else type(error).__name__
        raise BuildError([f"{plan.assignment.name}: the solved cell {title!r} fails: {told}"]) from error
    for output in (o for cell in notebook.cells for o in cell.get("outputs", [])):
        if output.output_type == "stream":  # warnings name the kernel's temporary file
            output.text = re.sub(r"\S*/ipykernel_\d+/\d+\.py", "<cell>", output.text)
    faults = [f"{plan.assignment.name}: {fault}" for fault in _unearned(plan, notebook)]
    if faults:
        raise BuildError(faults)
    return notebook


def _unearned(plan: Plan, notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if not is_machine_graded(cell):
            continue
        shown = [o.data.get("text/plain") for o in cell.outputs if o.output_type == "execute_result"]
        points = plan.assignment.points[grade_id(cell) or ""]
        if shown != [repr(float(points))]:
            yield f"the solved cell {grade_id(cell)!r} earns {shown}, not {points:g} points"
