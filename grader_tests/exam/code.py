"""Part B, the two timed functions: agreement with the definition."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from grading.checks import check
from grading.expectations import expect_close, expect_pair
from grading.student import Student


def reference(queries: Tensor, keys: Tensor, values: Tensor, valid: Tensor, divisor: float) -> tuple[Tensor, Tensor]:
    """(B, m, d), (B, n, d), (B, n, d_v), bool (B, n) -> (B, m, d_v), (B, m, n)."""
    scores = queries @ keys.transpose(-2, -1) / divisor
    weights = torch.softmax(scores.masked_fill(~valid[:, None, :], -math.inf), dim=-1)
    return weights @ values, weights


@check(
    "projected_dot_attention_values",
    cell="projected_dot_attention",
    points=10,
    uses=("ProjectedDotAttention",),
    about="context and weights for fresh weights and a mask",
)
def projected_dot_attention_values(student: Student, generator: torch.Generator) -> None:
    """With weights that are copied in, so that the draw of the student's own does not matter."""
    for _ in range(3):
        projected_dot_attention_agrees(student, generator)


def projected_dot_attention_agrees(student: Student, generator: torch.Generator) -> None:
    """One draw of weights, query and keys."""
    W_q, W_k = (torch.randn(5, width, generator=generator, dtype=torch.float64) for width in (3, 4))
    query, keys = (torch.randn(*s, generator=generator, dtype=torch.float64) for s in ((2, 3), (2, 6, 4)))
    valid = torch.tensor([[True] * 6, [True, False, True, True, False, False]])
    student.ask("ProjectedDotAttention", 3, 4, 5, keep="module")
    student.ask("module.double")
    state = {"W_q.weight": W_q, "W_k.weight": W_k}
    student.ask("module.load_state_dict", state)
    context, weights = expect_pair(student.ask("module", query, keys, valid).value, ("context", "weights"))
    right = reference((query @ W_q.T)[:, None], keys @ W_k.T, keys, valid, math.sqrt(5))
    expect_close(weights, right[1][:, 0], "the weights")
    expect_close(context, right[0][:, 0], "the context")


@check(
    "calibrated_attention_values",
    cell="calibrated_attention",
    points=10,
    uses=("calibrated_attention",),
    about="output and weights for variances that are not one, with a mask",
)
def calibrated_attention_values(student: Student, generator: torch.Generator) -> None:
    """Five different sizes."""
    for _ in range(3):
        calibrated_attention_agrees(student, generator)


def calibrated_attention_agrees(student: Student, generator: torch.Generator) -> None:
    """One draw of queries, keys and values."""
    Q, K, V = (torch.randn(*s, generator=generator, dtype=torch.float64) for s in ((2, 3, 5), (2, 4, 5), (2, 4, 6)))
    valid = torch.tensor([[True] * 4, [True, False, True, False]])
    output, weights = expect_pair(student.calibrated_attention(Q, K, V, valid, 3.0, 0.5), ("output", "weights"))
    right = reference(Q, K, V, valid, math.sqrt(5 * 3.0 * 0.5))
    expect_close(weights, right[1], "the weights")
    expect_close(output, right[0], "the output")
