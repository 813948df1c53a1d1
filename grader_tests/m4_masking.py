"""m4_masking: mask before softmax, and mask the right thing. What it is worth, and its checks."""

from __future__ import annotations

import torch

from grader_tests.m4 import causal, guards, leak, loss, masked, masks
from grader_tests.vocabulary.claims import claims_right
from grading.checks import Assignment, check
from grading.expectations import expect
from grading.student import Student

CLAIMS = {"A": False, "B": False, "C": True, "D": False, "E": False, "F": True, "G": True, "H": True}


@check("m4_claims_seven", cell="m4_claims", points=0.5, uses=("CLAIMS",), about="at least seven of the eight claims")
def m4_claims_seven(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right >= 7, f"{right} of eight claims judged rightly", "at least seven")


@check("m4_claims_all", cell="m4_claims", points=0.5, uses=("CLAIMS",), about="all eight claims")
def m4_claims_all(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right == 8, f"{right} of eight claims judged rightly", "all eight")


ASSIGNMENT = Assignment(
    name="m4_masking",
    points={
        "padding_mask": 3,
        "causal_mask": 2,
        "zero_score_leak": 2,
        "masked_attention": 7,
        "causal_attention": 3,
        "masked_cross_entropy": 2,
        "m4_claims": 1,
    },
    checks=(
        masks.padding_mask_values,
        masks.padding_mask_form,
        masks.padding_mask_errors,
        masks.causal_mask_values,
        masks.causal_mask_form,
        leak.zero_score_leak_values,
        leak.zero_score_leak_limits,
        masked.masked_attention_published,
        masked.masked_attention_values,
        masked.masked_attention_excludes,
        masked.masked_attention_padding,
        masked.masked_attention_extremes,
        masked.masked_attention_properties,
        guards.masked_attention_guards_inputs,
        guards.masked_attention_guards_mask,
        guards.masked_attention_guards_no_key,
        guards.masked_attention_guards_told_apart,
        causal.causal_attention_values,
        causal.causal_attention_batched,
        causal.causal_attention_future,
        loss.masked_cross_entropy_values,
        loss.masked_cross_entropy_properties,
        loss.masked_cross_entropy_error,
        m4_claims_seven,
        m4_claims_all,
    ),
)
