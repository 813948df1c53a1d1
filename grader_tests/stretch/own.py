"""Errors are paid for once: what a right module makes of a student's own `split_heads` and `merge_heads`.

Where one of them is another rearrangement than the definition's, it has lost its points there, and a module is right if it is
what a right one makes of it. Whether a module uses them is not asked, and a helper that is no rearrangement excuses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from grader_tests.references import multihead as reference
from grader_tests.references.multihead import Problem
from grader_tests.stretch.heads import own_merge, own_split
from grading.expectations import TOLERANCE, close
from grading.student import Student


def right_weights(student: Student, problem: Problem) -> Iterator[Tensor]:
    """Weights (B, n_heads, T_q, T_k) by the definition, then by the student's own heads where these are others."""
    layers, n_heads, queries, keys, _, valid = problem
    Q, K = projected(queries, layers.W_Q), projected(keys, layers.W_K)
    right_Q, right_K = reference.split_heads(Q, n_heads), reference.split_heads(K, n_heads)
    yield reference.head_weights(right_Q, right_K, valid).to(Q.dtype)
    own_Q, own_K = own_split(student, Q, n_heads), own_split(student, K, n_heads)
    if own_Q is not None or own_K is not None:
        pair = (right_Q if own_Q is None else own_Q, right_K if own_K is None else own_K)
        yield reference.head_weights(*pair, valid).to(Q.dtype)


def right_outputs(student: Student, problem: Problem, weights: Tensor) -> Iterator[Tensor]:
    """Outputs (B, T_q, d_model) that weights give, by the definition's heads and columns, then by the student's own."""
    layers, n_heads = problem.layers, problem.n_heads
    V = projected(problem.values, layers.W_V)
    right_V = reference.split_heads(V, n_heads)
    right = reference.read(weights, right_V).to(V.dtype)
    yield projected(reference.merge_heads(right), layers.W_O)
    own_V = own_split(student, V, n_heads)
    readings = [right] if own_V is None else [right, reference.read(weights, own_V).to(V.dtype)]
    for reading in readings:
        own = own_merge(student, reading)
        if own is not None:
            yield projected(own, layers.W_O)
        if reading is not right:
            yield projected(reference.merge_heads(reading), layers.W_O)


def projected(x: Tensor, weight: Tensor) -> Tensor:
    """A layer's output, in the dtype of its input."""
    return reference.linear(x, weight).to(x.dtype)


def is_right(output: object, weights: object, problem: Problem) -> bool:
    """Whether an answer is the definition's."""
    expected = reference.multi_head_attention(problem)
    return all(agrees(found, right.to(problem.queries.dtype)) for found, right in zip((output, weights), expected, strict=True))


def is_own(student: Student, output: object, weights: object, problem: Problem) -> bool:
    """Whether an answer is not the definition's and is what a right module makes of the student's own helpers."""
    if is_right(output, weights, problem) or not isinstance(weights, Tensor):
        return False
    if not any(agrees(weights, right) for right in right_weights(student, problem)):
        return False
    return any(agrees(output, right) for right in right_outputs(student, problem, weights))


def agrees(found: object, right: Tensor) -> bool:
    """Whether a part of an answer is a floating-point tensor that is close to the right one."""
    return isinstance(found, Tensor) and found.dtype.is_floating_point and close(found, right, TOLERANCE[right.dtype])
