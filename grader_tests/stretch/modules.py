"""Students' modules: built, given weights and asked; and what is right of them where their own helpers are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader_tests.references.multihead import Layers, Problem
from grader_tests.vocabulary.inputs import draw
from grader_tests.vocabulary.modules import build_module
from grading.expectations import expect, expect_pair
from grading.student import Student

CLASS = "MultiHeadAttention"
USES = (CLASS, "split_heads", "merge_heads")
CELL = "multi_head_attention"
PAIR = ("the output", "the weights")


@dataclass(frozen=True)
class Shape:
    """Sizes of one problem."""

    B: int
    T_q: int
    T_k: int
    d_model: int
    n_heads: int


# d_head is 1, 4 or 16: their roots and what 1 is divided by them are exact in float32, so that `torch.sqrt` or `torch.rsqrt` of
# `torch.tensor(float(d_head))` costs no digits (a third, for 9, would). First all sizes differ; then as many examples as tokens
# and heads, tokens as heads and columns; then one head, one token, one example, and heads of one column.
SHAPES = (
    Shape(2, 5, 7, 12, 3),
    Shape(3, 3, 3, 12, 3),
    Shape(2, 4, 4, 16, 4),
    Shape(4, 6, 2, 32, 2),
    Shape(3, 5, 4, 16, 1),
    Shape(2, 1, 3, 8, 2),
    Shape(1, 4, 1, 12, 3),
    Shape(2, 7, 5, 6, 6),
)
# Heads whose width has no whole root, for float32 alone.
ODD_SHAPES = (Shape(2, 5, 4, 15, 3), Shape(3, 4, 6, 10, 2))


def draw_layers(generator: torch.Generator, d_model: int, dtype: torch.dtype = torch.float64) -> Layers:
    """Weights that keep scores near one, where softmax is far from its corners and mistakes look different."""
    return Layers(*(1.2 * d_model**-0.5 * draw(generator, d_model, d_model, dtype=dtype) for _ in Layers._fields))


def draw_self(generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64) -> Problem:
    """One sequence of T_q tokens in all three roles."""
    layers, x = draw_layers(generator, shape.d_model, dtype), draw(generator, shape.B, shape.T_q, shape.d_model, dtype=dtype)
    return Problem(layers, shape.n_heads, x, x, x)


def draw_cross(generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64) -> Problem:
    """Queries, keys and values of their own."""
    layers = draw_layers(generator, shape.d_model, dtype)
    inputs = (draw(generator, shape.B, T, shape.d_model, dtype=dtype) for T in (shape.T_q, shape.T_k, shape.T_k))
    return Problem(layers, shape.n_heads, *inputs)


def build(student: Student, problem: Problem, needed: Sequence[str] = Layers._fields, *, train: bool = False) -> None:
    """Build the student's module with the problem's weights; a layer beyond `needed` may be missing."""
    sizes = (problem.queries.shape[-1], problem.n_heads)
    build_module(student, CLASS, sizes, problem.layers._asdict(), needed, train=train)


def ask_module(student: Student, problem: Problem, **options: Any) -> tuple[Any, Any]:
    """Output and weights of the module that was built last, in this order."""
    reply = student.ask("module", *problem[2:5], key_is_valid=problem.key_is_valid, **options)
    return in_order(reply.value, problem)


def in_order(value: Any, problem: Problem) -> tuple[Any, Any]:
    """Two things, which are not the weights and the output instead of the output and the weights."""
    pair = expect_pair(value, PAIR)
    axes = tuple(part.ndim if isinstance(part, Tensor) else 0 for part in pair)
    expect(axes != (4, 3), "the weights, then the output", "the output, then the weights")
    return pair


def weights_shape(problem: Problem) -> tuple[int, int, int, int]:
    """(B, n_heads, T_q, T_k)."""
    return problem.queries.shape[0], problem.n_heads, problem.queries.shape[1], problem.keys.shape[1]


def has_heads(weights: Any, problem: Problem) -> bool:
    """Whether these are floating-point weights for every head."""
    fits = isinstance(weights, Tensor) and tuple(weights.shape) == weights_shape(problem)
    return fits and weights.dtype.is_floating_point


def tells_keys_apart(weights: Tensor) -> bool:
    """Whether some query weighs its keys differently, or its only key at all: equal shares, and zeros, are no attention."""
    least = weights.amin(dim=-1) if weights.shape[-1] > 1 else 0.0
    return bool((weights.amax(dim=-1) - least > 1e-3).any())
