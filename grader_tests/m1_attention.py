"""m1_attention: additive scores, scaled dot-product attention, and the lookups. What it is worth, and its checks."""

from __future__ import annotations

import torch

from grader_tests.m1 import additive, dot_product, lookups, projections
from grader_tests.vocabulary.claims import claims_right
from grading.checks import Assignment, check
from grading.expectations import expect
from grading.student import Student

CLAIMS = {"A": False, "B": True, "C": True, "D": False, "E": False, "F": False, "G": True, "H": True}


@check("claims_seven", cell="m1_claims", points=0.5, uses=("CLAIMS",), about="at least seven of the eight claims")
def claims_seven(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right >= 7, f"{right} of eight claims judged rightly", "at least seven")


@check("claims_all", cell="m1_claims", points=0.5, uses=("CLAIMS",), about="all eight claims")
def claims_all(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right == 8, f"{right} of eight claims judged rightly", "all eight")


ASSIGNMENT = Assignment(
    name="m1_attention",
    points={
        "additive_scores": 4,
        "attention": 6,
        "weighted_value": 1,
        "self_attention": 2,
        "cross_attention": 2,
        "soft_lookup": 2,
        "hard_lookup": 2,
        "m1_claims": 1,
    },
    checks=(
        additive.additive_values,
        additive.additive_batched,
        additive.additive_properties,
        dot_product.attention_from_scratch,
        dot_product.attention_published,
        dot_product.attention_values,
        dot_product.attention_batched,
        dot_product.attention_extremes,
        dot_product.attention_properties,
        projections.weighted_value,
        projections.self_attention_values,
        projections.self_attention_batched,
        projections.cross_attention_values,
        projections.cross_attention_batched,
        lookups.soft_lookup_values,
        lookups.soft_lookup_limits,
        lookups.hard_lookup_values,
        lookups.hard_lookup_ties,
        claims_seven,
        claims_all,
    ),
)
