"""Questions to a `ProjectedDotAttention`: drawn, asked with and without padding, and what is told apart in the answers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader_tests.m4.batches import draw_valid
from grader_tests.references.exam_code import Projections, Reading
from grader_tests.vocabulary.inputs import draw
from grader_tests.vocabulary.modules import build_module
from grading.expectations import TOLERANCE, close, expect, expect_pair
from grading.student import Student

CLASS = "ProjectedDotAttention"
PAIR = ("the context", "the weights")


@dataclass(frozen=True)
class Shape:
    """Sizes of one problem."""

    B: int
    n: int
    d_q: int
    d_k: int
    d_a: int


# Roots of d_a and their inverses are exact in float32. First all sizes differ, then as many examples as keys, then equal widths,
# then one column.
SHAPES = (
    Shape(3, 5, 6, 7, 16),
    Shape(4, 4, 5, 3, 16),
    Shape(2, 6, 4, 4, 4),
    Shape(2, 5, 3, 4, 1),
)
# An axis of one is asked in one place alone: whoever squeezes it away pays once.
ONE_KEY = Shape(3, 1, 6, 7, 16)
# A width without a whole root, for float32 alone.
CASES = (
    *((shape, torch.float64) for shape in SHAPES),
    *((shape, torch.float32) for shape in (*SHAPES[:2], Shape(3, 4, 6, 5, 7))),
)


def draw_reading(
    generator: torch.Generator, shape: Shape, dtype: torch.dtype = torch.float64, *, padded: bool = False
) -> Reading:
    """Weights that keep scores near one; padding anywhere, or none."""
    W_k = 1.2 * shape.d_k**-0.5 * draw(generator, shape.d_a, shape.d_k, dtype=dtype)
    W_q = 1.2 * shape.d_q**-0.5 * draw(generator, shape.d_a, shape.d_q, dtype=dtype)
    query, keys = draw(generator, shape.B, shape.d_q, dtype=dtype), draw(generator, shape.B, shape.n, shape.d_k, dtype=dtype)
    valid = draw_valid(generator, shape.B, shape.n) if padded else torch.ones(shape.B, shape.n, dtype=torch.bool)
    return Reading(Projections(W_k, W_q), query, keys, valid)


def build(student: Student, reading: Reading, needed: Collection[str] = Projections._fields, *, train: bool = False) -> None:
    """Build the student's module with the reading's weights; a layer beyond `needed` may be missing."""
    W_k, W_q = reading.projections
    sizes = (W_q.shape[1], W_k.shape[1], W_k.shape[0])
    build_module(student, CLASS, sizes, reading.projections._asdict(), needed, train=train)


def ask_module(student: Student, reading: Reading) -> tuple[Any, Any]:
    """Context and weights of the module that was built last, in this order."""
    return in_order(student.ask("module", *reading[1:]).value, reading)


def ask_free(student: Student, reading: Reading) -> tuple[Any, Any]:
    """Context and weights where every key is read."""
    return ask_module(student, unmasked(student, reading))


def unmasked(student: Student, reading: Reading) -> Reading:
    """The reading with the mask under which the student reads every key.

    Whoever has turned the mask upside down has nothing to read where all is valid, and pays for it where padding is asked for.
    """
    everything = reading._replace(key_is_valid=torch.ones_like(reading.key_is_valid))
    weights = ask_module(student, everything)[1]
    lost = isinstance(weights, Tensor) and not tells_apart(weights)
    return everything._replace(key_is_valid=~everything.key_is_valid) if lost else everything


def tells_apart(weights: Tensor) -> bool:
    """Whether some query weighs its keys differently, or its only key at all; NaN tells nothing apart."""
    least = weights.amin(dim=-1) if weights.shape[-1] > 1 else 0.0
    return bool((weights.amax(dim=-1) - least > 1e-3).any())


def in_order(value: Any, reading: Reading) -> tuple[Any, Any]:
    """Two things, which are not the weights and the context instead of the context and the weights."""
    pair = expect_pair(value, PAIR)
    shapes = tuple(tuple(part.shape) if isinstance(part, Tensor) else None for part in pair)
    B, n, d_k = reading.keys.shape
    expect(n == d_k or shapes != ((B, n), (B, d_k)), "the weights, then the context", "the context, then the weights")
    return pair


def lowered(reading: Reading, by: float) -> Reading:
    """The last projected column becomes an offset: every scaled score is `by` lower or higher."""
    (W_k, W_q), query, keys, valid = (Projections(*(W.clone() for W in reading.projections)), *(t.clone() for t in reading[1:]))
    W_k[-1], W_q[-1], query[..., -1], keys[..., -1] = 0.0, 0.0, 1.0, 1.0
    W_k[-1, -1], W_q[-1, -1] = 1.0, by * len(W_q) ** 0.5
    return Reading(Projections(W_k, W_q), query, keys, valid)


def agrees(found: Any, right: Tensor) -> bool:
    """Whether a part of an answer is a floating-point tensor that is close to the right one."""
    return isinstance(found, Tensor) and found.dtype.is_floating_point and close(found, right, TOLERANCE[right.dtype])
