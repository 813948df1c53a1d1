"""Score one submission: open, rebuild, run, ask, decide. A function of bytes; what it touches is the runner it is handed."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode

from grading.course import Plan
from grading.finish import cell_name, finish
from grading.messages import Explanation
from grading.notebooks import UnreadableNotebook, grade_id, is_answer, is_machine_graded, open_notebook, visible_text
from grading.rebuild import Rebuilt, rebuild
from grading.runners import Runner, Stay, open_apart
from grading.sandbox.session import CellRun, CellToRun
from grading.sandbox.warm import Starved
from grading.student import HandedIn, Student
from grading.submission import Submission
from grading.verdict import CheckResult, Finding, Result, Verdict, decide_status, sum_points
from grading.whose_paper import paper_findings


@dataclass(frozen=True)
class Scored:
    """A result, the finished notebook, and (for the instructor alone) what student code printed while it was asked."""

    result: Result
    notebook: NotebookNode
    record: str = ""


def score(submission: Submission, plan: Plan, runner: Runner, seed: int) -> Scored:
    """The points of one submission. Never raises for what a student handed in, nor for a fault of ours: that is "ungraded"."""
    started = time.monotonic()
    try:
        scored = _score(submission, plan, runner, seed)
    except UnreadableNotebook as error:
        scored = ungraded(submission, plan, runner.description, seed, "unreadable", str(error))
    except Starved as error:
        scored = ungraded(submission, plan, runner.description, seed, "starved", f"The submission was not graded: {error}.")
    except Exception as error:
        # Whatever it is, it must cost this submission nothing and the next one neither.
        scored = ungraded(
            submission, plan, runner.description, seed, "grader-fault", f"The grader failed ({type(error).__name__}: {error})."
        )
    seconds = round(time.monotonic() - started, 3)
    return replace(scored, result=replace(scored.result, seconds=seconds))


def _score(submission: Submission, plan: Plan, runner: Runner, seed: int) -> Scored:
    if submission.content is None:
        return ungraded(submission, plan, runner.description, seed, "unreadable", submission.reason)
    opened = open_notebook(submission.content)
    rebuilt = rebuild(opened.notebook, plan.blueprint)
    whose = paper_findings(opened.notebook, plan.blueprint, plan.mark)
    findings = (*submission.findings, *opened.findings, *whose, *rebuilt.findings)
    cells = cells_to_run(rebuilt, plan)
    with runner.open(cells, files_beside(submission, plan), plan.assignment.limits) as stay:
        handed_in = HandedIn(submission.files, partial(open_apart, runner, plan.assignment.limits, stay))
        stay.run_cells()
        checks, found = ask_checks(stay, rebuilt, plan, seed, handed_in)
        runs, record = stay.runs, _text(stay)
    findings += (*run_findings(rebuilt, runs), *found)
    result = make_result(submission, plan, runner.description, seed, findings, checks)
    return Scored(result, finish(rebuilt, plan.blueprint, runs, result), record)


def files_beside(submission: Submission, plan: Plan) -> Mapping[str, bytes]:
    """What lies beside a notebook while it runs: what was handed in, and what was given, which nothing handed in replaces."""
    return {**submission.files, **plan.given}


def cells_to_run(rebuilt: Rebuilt, plan: Plan) -> list[CellToRun]:
    """The code cells of a rebuilt notebook; hidden regions stay here."""
    cells = []
    for position, rebuilt_cell in enumerate(rebuilt.cells):
        cell = rebuilt_cell.cell
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        graded = grade_id(cell) if is_machine_graded(cell) else None
        keep = plan.assignment.kept_names(graded) if graded else None
        text = visible_text(cell.source) if graded else cell.source
        given = rebuilt_cell.origin is not None and not is_answer(cell)
        cells.append(CellToRun(cell_name(position), text, graded or "", keep, given))
    return cells


def ask_checks(
    stay: Stay, rebuilt: Rebuilt, plan: Plan, seed: int, handed_in: HandedIn
) -> tuple[tuple[CheckResult, ...], list[Finding]]:
    """Ask every check of the assignment, in order; the results, and what the checks found out beside them."""
    named = {cell_name(i): (c.title, _shown_text(c.cell)) for i, c in enumerate(rebuilt.cells)}
    explain = Explanation(named)
    results, found = [], dict[Finding, None]()
    for check in plan.assignment.checks:
        stay.begin_check()
        student = Student(stay, check.cell, rebuilt.answers, handed_in=handed_in)
        results.append(check.run(student, seed, explain))
        found.update(dict.fromkeys(Finding("handed-in-file", check.cell, told) for told in student.findings))
    return tuple(results), list(found)


def _shown_text(cell: NotebookNode) -> str:
    """A cell's text as it was run: hidden lines are never quoted."""
    return visible_text(cell.source) if is_machine_graded(cell) else str(cell.source)


def run_findings(rebuilt: Rebuilt, runs: dict[str, CellRun]) -> list[Finding]:
    """Cells that did not end by themselves, or whose output was cut."""
    found = []
    for position, rebuilt_cell in enumerate(rebuilt.cells):
        run = runs.get(cell_name(position))
        named = grade_id(rebuilt_cell.cell)
        if run is None:
            continue
        if run.status in ("timeout", "died", "not run"):
            found.append(Finding(run.status.replace(" ", "-"), named, f"In {rebuilt_cell.title}: {run.detail}."))
        if run.dropped_bytes:
            found.append(
                Finding("long-output", named, f"In {rebuilt_cell.title}: {run.dropped_bytes} bytes of output were dropped.")
            )
        written = rebuilt_cell.origin is None or is_answer(rebuilt_cell.cell)
        if run.status == "error" and run.error is not None and written:
            found.append(Finding("cell-error", named, f"In {rebuilt_cell.title}: it raised {_told_error(run.error)}."))
    return found


def _told_error(error: Mapping[str, Any]) -> str:
    """An error's name and the beginning of its message, without the names that cells are compiled under."""
    message = " ".join(re.sub(r"<cell \d+>, ", "", str(error.get("message", ""))).split())[:200]
    return f"{error['name']}: {message}" if message else str(error["name"])


def make_result(
    submission: Submission, plan: Plan, sandbox: str, seed: int, findings: tuple[Finding, ...], checks: tuple[CheckResult, ...]
) -> Result:
    """A result with its sums and status."""
    return Result(
        student=submission.student,
        assignment=plan.assignment.name,
        status=decide_status(checks),
        points=sum_points(c.points for c in checks),
        max_points=sum_points(c.max_points for c in checks),
        manual_points=sum_points(plan.assignment.manual_points.values()),
        seed=seed,
        findings=findings,
        checks=checks,
        seconds=0.0,
        sandbox=sandbox,
    )


def ungraded(submission: Submission, plan: Plan, sandbox: str, seed: int, kind: str, reason: str) -> Scored:
    """The result of a submission that could not be judged: every check undecided, nothing lost, a person to look."""
    told = f"Not graded yet: {reason}"
    checks = tuple(CheckResult(c.name, c.cell, 0.0, c.points, Verdict.UNGRADED, told) for c in plan.assignment.checks)
    findings = (*submission.findings, Finding(kind, None, reason))
    result = make_result(submission, plan, sandbox, seed, findings, checks)
    empty = rebuild(nbformat.from_dict({"cells": []}), plan.blueprint)
    return Scored(result, finish(empty, plan.blueprint, {}, result))


def _text(stay: Stay) -> str:
    parts = [bytes(item["data"]).decode("utf-8", "replace") for item in stay.record.items if "stream" in item]
    return "".join(parts)
