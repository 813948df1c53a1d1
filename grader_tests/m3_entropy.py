"""m3_entropy: what saturation does to the entropy of weights, and to their gradient. What it is worth, and its checks."""

from __future__ import annotations

import torch

from grader_tests.m3 import entropies, jacobian, rows, widths
from grader_tests.vocabulary.claims import claims_right
from grading.checks import Assignment, check
from grading.expectations import expect
from grading.limits import Limits
from grading.student import Student

CLAIMS = {"A": False, "B": True, "C": False, "D": False, "E": True, "F": True, "G": False, "H": True}


@check("m3_claims_seven", cell="m3_claims", points=0.5, uses=("CLAIMS",), about="at least seven of the eight claims")
def m3_claims_seven(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right >= 7, f"{right} of eight claims judged rightly", "at least seven")


@check("m3_claims_all", cell="m3_claims", points=0.5, uses=("CLAIMS",), about="all eight claims")
def m3_claims_all(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right == 8, f"{right} of eight claims judged rightly", "all eight")


ASSIGNMENT = Assignment(
    name="m3_entropy",
    points={
        "entropy": 4,
        "saturation_row": 3,
        "softmax_jacobian": 3,
        "gradient_norm": 2,
        "collapse_width": 2,
        "m3_claims": 1,
    },
    # A right collapse_width may draw and judge query by query in a Python loop, and is asked for tens of thousands of queries.
    limits=Limits(check_cpu_s=6.0, check_wall_s=20.0),
    checks=(
        entropies.entropy_values,
        entropies.entropy_batched,
        entropies.entropy_extremes,
        entropies.entropy_exact,
        rows.saturation_row_generator,
        rows.saturation_row_stds,
        rows.saturation_row_entropy_raw,
        rows.saturation_row_entropy_scaled,
        jacobian.softmax_jacobian_diagonal,
        jacobian.softmax_jacobian_off_diagonal,
        jacobian.softmax_jacobian_exact,
        jacobian.gradient_norm_values,
        jacobian.gradient_norm_batched,
        widths.collapse_width_smallest,
        widths.collapse_width_draws,
        m3_claims_seven,
        m3_claims_all,
    ),
)
