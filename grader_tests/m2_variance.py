"""m2_variance: the variance of a dot product, measured, proved, and generalised. What it is worth, and its checks."""

from __future__ import annotations

import torch

from grader_tests.m2 import audit, formulas, proof, sampler, table
from grader_tests.vocabulary.claims import claims_right
from grading.checks import Assignment, check
from grading.expectations import expect
from grading.limits import Limits
from grading.student import Student

CLAIMS = {"A": False, "B": True, "C": False, "D": False, "E": True, "F": True, "G": False, "H": False}


@check("m2_claims_seven", cell="m2_claims", points=0.5, uses=("CLAIMS",), about="at least seven of the eight claims")
def claims_seven(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right >= 7, f"{right} of eight claims judged rightly", "at least seven")


@check("m2_claims_all", cell="m2_claims", points=0.5, uses=("CLAIMS",), about="all eight claims")
def claims_all(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right == 8, f"{right} of eight claims judged rightly", "all eight")


ASSIGNMENT = Assignment(
    name="m2_variance",
    points={
        "dot_products": 3,
        "variance_table": 3,
        "score_variance": 2,
        "score_divisor": 2,
        "proof_order": 2,
        "proof_reasons": 2,
        "score_audit": 3,
        "m2_claims": 1,
    },
    manual_points={"written_proof": 2},
    # A right sampler may draw row by row in a Python loop, and is asked for tens of thousands of rows.
    limits=Limits(check_cpu_s=6.0, check_wall_s=20.0),
    checks=(
        sampler.dot_products_drawn,
        sampler.dot_products_width,
        sampler.dot_products_law,
        table.variance_table_rows,
        table.variance_table_estimates,
        table.variance_table_unbiased,
        formulas.score_variance_plain,
        formulas.score_variance_general,
        formulas.score_divisor_plain,
        formulas.score_divisor_general,
        proof.proof_order_product,
        proof.proof_order_sum,
        proof.proof_reasons_assumptions,
        proof.proof_reasons_algebra,
        audit.score_audit_raw_variance,
        audit.score_audit_raw_weights,
        audit.score_audit_scaled_variance,
        audit.score_audit_scaled_weights,
        audit.score_audit_general,
        claims_seven,
        claims_all,
    ),
)
