"""The kill matrices as figures: a row a wrong answer, a column a check, a mark where the answer fails it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from tests.trust.records import Record

_ROW_INCHES, _COLUMN_INCHES = 0.115, 0.16
# Dark where one check alone fails, so that what hangs by one thread is seen in grey too.
_PASSED, _FAILED, _ALONE = 1.0, 0.55, 0.0


def matrix_of(one: Record) -> tuple[list[str], np.ndarray]:
    """Names of wrong answers and their marks (answers, checks), those that fail alike beside each other."""
    checks: Sequence[str] = one["checks"]
    wrong = [row for row in one["rows"] if not row["right"]]
    wrong.sort(key=lambda row: ([check not in row["failed"] for check in checks], row["answer"]))
    marks = np.full((len(wrong), len(checks)), _PASSED)
    for number, row in enumerate(wrong):
        for check in row["failed"]:
            marks[number, checks.index(check)] = _ALONE if len(row["failed"]) == 1 else _FAILED
    return [row["answer"].removeprefix("wrong_") for row in wrong], marks


def draw_matrix(one: Record, path: Path) -> None:
    """Write one assignment's figure. No clock and no version goes into the file."""
    names, marks = matrix_of(one)
    height, width = len(names) * _ROW_INCHES + 2.6, len(one["checks"]) * _COLUMN_INCHES + 3.6
    with mpl.rc_context({"font.family": "DejaVu Sans", "font.size": 6.0}):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        axes.pcolormesh(marks, cmap="gray", vmin=0, vmax=1, edgecolors="0.85", linewidth=0.3)
        axes.invert_yaxis()
        axes.set_yticks(np.arange(len(names)) + 0.5, names)
        axes.set_xticks(np.arange(len(one["checks"])) + 0.5, one["checks"], rotation=90)
        axes.xaxis.set_label_position("top")
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.set_ylabel(f"wrong answer ({len(names)})")
        axes.set_xlabel(f"{one['assignment']}: check ({len(one['checks'])}); grey: failed, black: failed by this one alone")
        figure.savefig(path, dpi=130, metadata={"Software": None})
