"""m5_date_rematch: the date task again, with learned access. What it is worth, and its checks."""

from __future__ import annotations

import torch

from grader_tests.m5 import (
    alignment,
    attention,
    construction,
    encoder,
    encoding,
    evaluation,
    forcing,
    greedy,
    retraining,
    steps,
    training,
    weights,
)
from grader_tests.vocabulary.claims import claims_right
from grading.checks import Assignment, check
from grading.expectations import expect
from grading.limits import Limits
from grading.student import Student

CLAIMS = {"A": False, "B": False, "C": True, "D": False, "E": True, "F": False, "G": True, "H": False}


@check("m5_claims_seven", cell="m5_claims", points=0.5, uses=("CLAIMS",), about="at least seven of the eight claims")
def m5_claims_seven(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right >= 7, f"{right} of eight claims judged rightly", "at least seven")


@check("m5_claims_all", cell="m5_claims", points=0.5, uses=("CLAIMS",), about="all eight claims")
def m5_claims_all(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student, CLAIMS)
    expect(right == 8, f"{right} of eight claims judged rightly", "all eight")


ASSIGNMENT = Assignment(
    name="m5_date_rematch",
    points={
        "is_unambiguous": 1,
        "encode_batch": 1,
        "AdditiveAttention": 4,
        "AttentiveDateModel": 2,
        "encode": 2,
        "decode_step": 4,
        "forward": 2,
        "greedy_decode": 2,
        "train_epoch": 2,
        "exact_match": 1,
        "year_region_mass": 1,
        "rematch_weights": 2,
        "m5_claims": 1,
    },
    # Weights in float64 take 2.2 MB; whoever saves more has saved something else.
    limits=Limits(handed_in_bytes=4_000_000),
    given=("date_task.py", "baseline_curve.json"),
    handed_in=("rematch.pt",),
    retraining=retraining.RETRAINING,
    checks=(
        encoding.is_unambiguous_values,
        encoding.is_unambiguous_edges,
        encoding.encode_batch_values,
        encoding.encode_batch_errors,
        attention.attention_parameters,
        attention.attention_order,
        attention.attention_weights,
        attention.attention_context,
        attention.attention_padding,
        attention.attention_properties,
        construction.model_parameters,
        construction.model_order,
        encoder.encode_memory,
        encoder.encode_states,
        encoder.encode_padding,
        encoder.encode_properties,
        steps.step_weights,
        steps.step_state,
        steps.step_logits,
        steps.step_properties,
        forcing.forward_values,
        forcing.forward_forced,
        forcing.forward_learns,
        greedy.greedy_values,
        greedy.greedy_form,
        greedy.greedy_alone,
        training.train_step,
        training.train_steps,
        training.train_form,
        evaluation.exact_match_values,
        evaluation.exact_match_mode,
        alignment.year_mass_equal_lengths,
        alignment.year_mass_unequal_lengths,
        m5_claims_seven,
        m5_claims_all,
        # Last: while a file is parsed apart, the notebook's child rests, and would have to be made again for another question.
        weights.weights_exact,
        weights.weights_aligned,
    ),
)
