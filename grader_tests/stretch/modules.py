"""Students' modules: built, given weights and asked; and what is right of them where their own helpers are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader_tests.references.multihead import Layers, Problem
from grader_tests.vocabulary.inputs import draw
from grading.checks import CheckFailed
from grading.expectations import expect, expect_pair
from grading.student import Student, StudentError

CLASS = "MultiHeadAttention"
USES = (CLASS, "split_heads", "merge_heads")
CELL = "multi_head_attention"
PAIR = ("the output", "the weights")
_SEED = 79  # whatever a module draws when it is built is replaced by the weights that are loaded


@dataclass(frozen=True)
class Shape:
    """Sizes of one problem."""

    B: int
    T_q: int
    T_k: int
    d_model: int
    n_heads: int


# d_head is 1, 4, 9 or 16: their roots are exact in float32, so that `torch.sqrt(torch.tensor(d_head))` costs no digits. First all
# sizes differ; then as many examples as tokens and heads, tokens as heads and columns; then one head, one token, one example, and
# heads of one column.
SHAPES = (
    Shape(2, 5, 7, 12, 3),
    Shape(3, 3, 3, 12, 3),
    Shape(2, 4, 4, 16, 4),
    Shape(4, 6, 2, 18, 2),
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
    """Build the student's module with the problem's weights; it is kept under the name `module`.

    A layer beyond `needed` that cannot be loaded stays as it is. Biases are zeroed: that there should be none is one check's
    question. Dropout is another's, so that the module is told to evaluate unless `train` is said.
    """
    student.ask(CLASS, problem.queries.shape[-1], problem.n_heads, keep="module", seed=_SEED)
    if problem.queries.dtype is torch.float64:
        student.ask("module.double")
    student.ask("module.train", train)
    for name, weight in problem.layers._asdict().items():
        if not is_loaded(student, name, weight) and name in needed:
            raise CheckFailed(
                f"no weight of shape {tuple(weight.shape)} could be loaded as `{name}.weight`",
                "four layers W_Q, W_K, W_V and W_O, each nn.Linear(d_model, d_model, bias=False), made in __init__",
            )


def is_loaded(student: Student, name: str, weight: Tensor) -> bool:
    """Load one layer's weight, and zeros as its bias where it has one. A module may hold other things beside."""
    try:
        missing, unexpected = incompatible(student, {f"{name}.weight": weight})
        if f"{name}.bias" in missing:
            incompatible(student, {f"{name}.bias": torch.zeros(len(weight), dtype=weight.dtype)})
    except StudentError:  # the layer has another shape
        return False
    return f"{name}.weight" not in unexpected


def incompatible(student: Student, state: dict[str, Tensor]) -> tuple[list[Any], list[Any]]:
    """Names that the module has beyond a state, and those that it lacks."""
    found = student.ask("module.load_state_dict", state, strict=False).value
    lists = isinstance(found, tuple) and len(found) == 2 and all(isinstance(part, list) for part in found)
    expect(lists, "`load_state_dict` is not that of nn.Module", "a class that inherits nn.Module")
    return found[0], found[1]


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
