"""Figures of given cells are not made while a notebook is graded; those of a student's own cells are."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from grading.course import find_course, load_plan, solved_files
from grading.notebooks import open_notebook
from grading.rebuild import rebuild
from grading.runners import Runner
from grading.sandbox.inside.figures import Silent, silent_figures
from grading.sandbox.session import CellToRun
from grading.score import cells_to_run, files_beside
from grading.submission import Submission

matplotlib.use("agg")


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 3), (2, 1), (2, 3)])
@pytest.mark.parametrize("squeeze", [True, False])
def test_silent_axes_come_in_the_array_that_pyplot_gives(rows: int, columns: int, squeeze: bool) -> None:
    _, real = pyplot.subplots(rows, columns, squeeze=squeeze)
    with silent_figures():
        _, silent = pyplot.subplots(rows, columns, squeeze=squeeze)
    pyplot.close("all")
    assert isinstance(silent, np.ndarray) == isinstance(real, np.ndarray)
    assert not isinstance(real, np.ndarray) or silent.shape == real.shape


def test_whatever_a_figure_is_asked_is_silent() -> None:
    with silent_figures():
        figure, axes = pyplot.subplots()
        (line,) = axes.plot([1, 2], label="a curve")
        axes.spines["top"].set_visible(False)
        figure.colorbar(axes.imshow([[0.0]]), ax=axes).set_label("weight")
        pyplot.figure(figsize=(2, 3)).add_subplot(1, 1, 1)
        assert isinstance(line.get_color(), Silent)
        assert not pyplot.get_fignums()


def test_pyplot_is_itself_after_a_cell_that_raised() -> None:
    before = pyplot.subplots, pyplot.figure, pyplot.show
    with pytest.raises(ZeroDivisionError), silent_figures():
        raise ZeroDivisionError
    assert (pyplot.subplots, pyplot.figure, pyplot.show) == before


@pytest.mark.parametrize("name", find_course().assignments())
def test_every_given_cell_of_the_solved_notebook_runs_without_its_figures(sandbox: Runner, name: str) -> None:
    course = find_course()
    plan = load_plan(course, name)
    content = (course.solutions / name / f"{name}.ipynb").read_bytes()
    files = solved_files(course, plan.assignment)
    rebuilt = rebuild(open_notebook(content).notebook, plan.blueprint)
    cells = cells_to_run(rebuilt, plan)
    assert any(cell.given for cell in cells)
    with sandbox.open(
        cells, files_beside(Submission("solved", name, content, files=files), plan), plan.assignment.limits
    ) as stay:
        stay.run_cells()
        assert {cell: run.error for cell, run in stay.runs.items() if run.status != "ok"} == {}


def test_a_students_own_figure_is_made(sandbox: Runner) -> None:
    text = (
        "from matplotlib import pyplot as plt\nfigure, axes = plt.subplots()\nprint(type(axes).__name__, len(axes.plot([1, 2])))"
    )
    cells = [CellToRun("<cell 0>", text, given=True), CellToRun("<cell 1>", text)]
    with sandbox.open(cells, {}, load_plan(find_course(), "m1_attention").assignment.limits) as stay:
        stay.run_cells()
        printed = [b"".join(item["data"] for item in run.outputs) for run in stay.runs.values()]
    assert printed[1] == b"Axes 1\n"
    assert stay.runs["<cell 0>"].status == "error", "a silent line has no length"
