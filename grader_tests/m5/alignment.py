"""Checks of `year_region_mass`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import rematch
from grader_tests.references.rematch import valid_keys
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect
from grading.student import Student

CELL = "year_region_mass"
TOLERANCE = 1e-5  # float32: sums of some hundred weights


def draw_weights(generator: torch.Generator, lengths: Tensor, width: int) -> Tensor:
    """(B, 11, n): rows that sum to one over real positions and are zero behind them."""
    scores = torch.randn(len(lengths), 11, width, generator=generator) * 2
    return scores.masked_fill(~valid_keys(lengths, width)[:, None], -torch.inf).softmax(2)


def mistaken_masses(weights: Tensor, lengths: Tensor) -> Mapping[str, float]:
    """Masses of known mistakes, by the name a student reads."""
    positions = torch.arange(weights.shape[2])
    inside = (positions >= lengths[:, None] - 4) & (positions < lengths[:, None])
    by_row = (weights * inside[:, None]).sum(2)
    return {
        "the last four columns of the rectangle were taken; the year ends at each source's own length": float(
            weights[:, :4, -4:].sum(2).mean()
        ),
        "all rows were taken; the year is written in the first four": float(by_row.mean()),
        "the last four rows were taken; the year is written in the first four": float(by_row[:, -4:].mean()),
        "the first four source positions were taken; the year stands in the last four": float(weights[:, :4, :4].sum(2).mean()),
        "this is the sum over the four rows; their mean is asked for": float(by_row[:, :4].sum(1).mean()),
        "this is a mean over positions; the weights of the four positions are to be added": float(by_row[:, :4].mean() / 4),
        "these are percent; a share is asked for": 100 * float(by_row[:, :4].mean()),
    }


def expect_mass(student: Student, weights: Tensor, lengths: Tensor) -> None:
    """The mass, as a number."""
    found: Any = student.year_region_mass(weights, lengths)
    if isinstance(found, Tensor) and found.numel() == 1 and found.ndim == 0:
        found = found.item()
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise CheckFailed(f"the result is {describe(found)}", "a float")
    right = rematch.year_region_mass(weights, lengths)
    if not abs(found - right) <= TOLERANCE:
        mistakes = mistaken_masses(weights, lengths).items()
        known = next((name for name, wrong in mistakes if abs(found - wrong) <= TOLERANCE), "")
        expect(False, f"a mass that differs by {abs(found - right):.2g}", "the mean over rows and examples", known)


@check("year_mass_equal_lengths", cell=CELL, points=0.5, uses=(CELL,), about="sources that fill the rectangle")
def year_mass_equal_lengths(student: Student, generator: torch.Generator) -> None:
    """Lengths that are all the width."""
    for B, width in ((3, 9), (1, 12), (6, 4)):
        lengths = torch.full((B,), width)
        expect_mass(student, draw_weights(generator, lengths, width), lengths)


@check("year_mass_unequal_lengths", cell=CELL, points=0.5, uses=(CELL,), about="sources of different lengths")
def year_mass_unequal_lengths(student: Student, generator: torch.Generator) -> None:
    """Padding behind some sources, or behind all."""
    for B, width in ((5, 9), (7, 14)):
        lengths = torch.randint(4, width, (B,), generator=generator)
        lengths[0] = 4
        weights = draw_weights(generator, lengths, width)
        reply = student.ask(CELL, weights, lengths)
        expect(not reply.changed, "an argument was changed in place", "arguments left as they are")
        expect_mass(student, weights, lengths)
