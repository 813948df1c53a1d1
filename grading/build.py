"""Build: release/ and solutions/ from source/, after holding the notebooks, the checks and the agreed points together.

Nothing is written while anything is wrong, and nothing is rewritten that has not changed.
"""

from __future__ import annotations

import ast
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

from grading.checks import NoSuchAssignment, total_points
from grading.course import Course, Plan, load_plan, read_files, solved_files
from grading.files import fill_folder, replace_file
from grading.leaks import release_faults
from grading.notebooks import grade_id, is_answer, is_graded, is_machine_graded, nbgrader_metadata, write
from grading.sandbox.bubble import QUICK_RUN

_EXECUTION_TIMEOUT_S = 600
_NEVER_COPIED = (".ipynb_checkpoints", "__pycache__")


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


def source_faults(plan: Plan, folder: Path) -> Iterator[str]:
    """Everything that is wrong with a source notebook and its folder, each as a line that names the cell."""
    name, assignment = plan.assignment.name, plan.assignment
    yield from _folder_faults(name, folder, {f"{name}.ipynb", *assignment.given})
    graded = {g: c for c in plan.blueprint.notebook.cells if is_machine_graded(c) and (g := grade_id(c))}
    for cell in plan.blueprint.notebook.cells:
        yield from _cell_faults(name, cell)
    for cell_id, cell in graded.items():
        yield from _graded_faults(plan, cell_id, cell)
    for check in assignment.checks:
        if check.cell not in graded:
            yield f"{name}: the check {check.name} has no cell {check.cell!r} in the notebook"
    for cell_id in sorted(set(assignment.points) - set(graded)):
        yield f"{name}: points are agreed for {cell_id!r}, but the notebook has no such graded cell"
    yield from _manual_faults(plan)


def _folder_faults(name: str, folder: Path, listed: set[str]) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if not set(inside.parts) & set(_NEVER_COPIED) and not path.is_dir() and str(inside) not in listed:
            yield f"{name}: source/{name}/{inside} is not listed among the given files; students would get it"
    for file in sorted(listed):
        if not (folder / file).is_file():
            yield f"{name}: source/{name}/{file} is listed and missing"


def _cell_faults(name: str, cell: NotebookNode) -> Iterator[str]:
    title = grade_id(cell) or cell.get("id", "?")
    if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
        yield f"{name}: the cell {title!r} has outputs; clear them in source/"
    for region in ("SOLUTION", "HIDDEN TESTS"):
        if not _is_closed(cell.source, region):
            yield f"{name}: the cell {title!r} has a {region} region that is not closed, or not begun"
    if "BEGIN SOLUTION" in cell.source and not is_answer(cell):
        yield f"{name}: the cell {title!r} holds a solution but is no answer cell"
    if "BEGIN HIDDEN TESTS" in cell.source and not is_machine_graded(cell):
        yield f"{name}: the cell {title!r} holds hidden tests but is no graded cell"
    if is_graded(cell) and not is_machine_graded(cell) and not is_answer(cell):
        yield f"{name}: the graded cell {title!r} is neither code nor an answer"


def _is_closed(source: str, region: str) -> bool:
    """Whether every BEGIN of a region is followed by its END; nbgrader stops without naming the cell, or does not mind."""
    marks = re.findall(rf"(BEGIN|END) {region}", source)
    return marks == ["BEGIN", "END"] * (len(marks) // 2)


def _graded_faults(plan: Plan, cell_id: str, cell: NotebookNode) -> Iterator[str]:
    name, assignment = plan.assignment.name, plan.assignment
    if not ends_with_check(cell.source, cell_id):
        yield f'{name}: the graded cell {cell_id!r} has no hidden check: its hidden part must end with check("{cell_id}")'
    if not assignment.checks_of(cell_id):
        yield f"{name}: the graded cell {cell_id!r} has no check in grader_tests/{name}.py"
    points = {
        "the notebook": float(nbgrader_metadata(cell).get("points", 0)),
        "its checks": total_points(assignment.checks_of(cell_id)),
        "the agreed points": float(assignment.points.get(cell_id, 0)),
    }
    if len(set(points.values())) > 1:
        told = ", ".join(f"{value:g} in {where}" for where, value in points.items())
        yield f"{name}: the points of {cell_id!r} do not add up: {told}"


def _manual_faults(plan: Plan) -> Iterator[str]:
    name, agreed = plan.assignment.name, plan.assignment.manual_points
    found = {
        g: float(nbgrader_metadata(c).get("points", 0))
        for c in plan.blueprint.notebook.cells
        if is_graded(c) and is_answer(c) and (g := grade_id(c))
    }
    for cell_id in sorted({*found, *agreed}):
        if found.get(cell_id) != agreed.get(cell_id):
            yield f"{name}: {cell_id!r} has {found.get(cell_id)} manual points in the notebook, {agreed.get(cell_id)} are agreed"


def ends_with_check(source: str, cell_id: str) -> bool:
    """Whether a cell's last expression, inside its hidden region, is `check("<its own grade id>")`."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return False
    begin, end = source.find("### BEGIN HIDDEN TESTS"), source.find("### END HIDDEN TESTS")
    call = f'check("{cell_id}")'
    is_last = bool(statements) and isinstance(statements[-1], ast.Expr) and ast.get_source_segment(source, statements[-1]) == call
    return is_last and 0 <= begin < source.rfind(call) < end


def shared_grade_ids(plans: Mapping[str, Plan]) -> Iterator[str]:
    """Grade ids that stand twice in the course: the hidden line names a cell by its grade id alone."""
    seen: dict[str, str] = {}
    for name, plan in plans.items():
        ids = [g for cell in plan.blueprint.notebook.cells if (g := grade_id(cell))]
        for found in ids:
            if found in seen:
                yield f"{name}: the grade id {found!r} stands in {seen[found]} too; grade ids are unique in the course"
            seen[found] = name


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
