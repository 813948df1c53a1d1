"""Errors are paid for once: what is built on a student's own `attention` is right if it equals the right composition of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import attention as reference
from grading.expectations import TOLERANCE, close, expect, expect_close, expect_pair
from grading.student import Gradients, Student, StudentFault

PAIR = ("the output", "the weights")
_SEED = 79  # so that a dropout left on draws the same numbers in both calls that are compared


def expect_projected(
    student: Student, name: str, inputs: tuple[Tensor, ...], where: str, generator: torch.Generator
) -> tuple[Tensor, Tensor] | None:
    """Output and weights that equal the reference's; None where they are what the student's own `attention` makes."""
    found = student.ask(name, *inputs, seed=_SEED).value
    X_q, X_k, W_Q, W_K, W_V = sequences_and_weights(name, inputs)
    expected = tuple(t.to(X_q.dtype) for t in reference.cross_attention(X_q, X_k, W_Q, W_K, W_V))
    if same_value(found, expected, TOLERANCE[X_q.dtype]):
        return expect_pair(found, PAIR)
    own = own_composition(student, X_q @ W_Q, X_k @ W_K, X_k @ W_V)
    if own is not None and same_value(found, own, TOLERANCE[X_q.dtype]) and composes_always(student, name, inputs, generator):
        return None
    output, weights = expect_pair(found, PAIR)
    hint = "" if own_is_right(student) else "your own `attention` differs from the definition; begin there"
    found_weights = expect_close(weights, expected[1], f"the weights{where}", hint=hint)
    return expect_close(output, expected[0], f"the output{where}", hint=hint), found_weights


def sequences_and_weights(name: str, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """X_q, X_k, W_Q, W_K, W_V of self_attention's four inputs or cross_attention's five."""
    return (inputs[0], *inputs) if name == "self_attention" else inputs


def same_value(found: Any, expected: Any, tolerance: float) -> bool:
    """Whether two answers agree: tensors in their numbers and shape, tuples and lists in each part."""
    if isinstance(expected, (tuple, list)):
        parts = isinstance(found, (tuple, list)) and len(found) == len(expected)
        return parts and all(same_value(f, e, tolerance) for f, e in zip(found, expected, strict=True))
    real = all(isinstance(t, Tensor) and t.dtype.is_floating_point for t in (found, expected))
    return real and close(found, expected, tolerance)


def own_composition(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> Any | None:
    """What the student's `attention` makes of right projections; None where it raises or nothing of it depends on all of them.

    A mistake in `attention` has been paid for there, whatever it returns; a function that only pretends to attend has not.
    """
    try:
        own, *others = (
            student.ask("attention", *changed, K.shape[-1], seed=_SEED).value
            for changed in ((Q, K, V), (-2 * Q, K, V), (Q, -2 * K, V), (Q, K, -2 * V))
        )
    except StudentFault:
        return None
    changed = zip(*(parts(value) for value in (own, *others)), strict=False)
    return own if any(depends_on_all(first, rest) for first, *rest in changed) else None


def composes_always(student: Student, name: str, inputs: tuple[Tensor, ...], generator: torch.Generator) -> bool:
    """Whether a projection gives what the student's `attention` makes of right projections, also for other inputs.

    Trials differ in one input alone, so that only who has projected queries, keys and values can tell them apart.
    """

    def composed(*trial: Any) -> Any:
        X_q, X_k, W_Q, W_K, W_V = sequences_and_weights(name, trial)
        return student.ask("attention", X_q @ W_Q, X_k @ W_K, X_k @ W_V, W_K.shape[-1], seed=_SEED).value

    def projected(*trial: Any) -> Any:
        return student.ask(name, *trial, seed=_SEED).value

    trials = [inputs, *varied(inputs, generator)]
    return agree_in_secret_orders(projected, composed, trials, generator, TOLERANCE[inputs[0].dtype])


def varied(inputs: tuple[Tensor, ...], generator: torch.Generator) -> Iterator[tuple[Tensor, ...]]:
    """The inputs with one of them drawn afresh, twice for each."""
    for i, given in enumerate(inputs):
        for _ in range(2):
            fresh = torch.randn(given.shape, generator=generator, dtype=torch.float64) * given.double().std()
            yield (*inputs[:i], fresh.to(given.dtype), *inputs[i + 1 :])


def agree_in_secret_orders(
    one: Callable[..., Any],
    other: Callable[..., Any],
    trials: Sequence[tuple[Any, ...]],
    generator: torch.Generator,
    tolerance: float,
) -> bool:
    """Whether two functions of a student agree in all trials, the one asked of them in one order and the other in another.

    Functions that share a memory agree without any work wherever the order of the questions tells which answers belong together.
    """
    answers: list[dict[int, Any]] = []
    try:
        for function in (one, other):
            order = torch.randperm(len(trials), generator=generator).tolist()
            answers.append({i: function(*trials[i]) for i in order})
    except StudentFault:
        return False
    first, second = answers
    return all(same_value(first[i], second[i], tolerance) for i in first)


def parts(value: Any) -> list[Any]:
    """The parts of an answer: those of a tuple or list, or the one that it is."""
    return list(value) if isinstance(value, (tuple, list)) else [value]


def depends_on_all(part: Any, changed: list[Any]) -> bool:
    """Whether a part of an answer is a tensor that every change of an argument changes."""
    return same_value(part, part, 0.0) and not any(same_value(other, part, 1e-3) for other in changed)


def own_is_right(student: Student) -> bool:
    """Whether the student's `attention` is right on one small example; decides nothing but a hint."""
    Q, K, V = (torch.arange(6.0).reshape(3, 2).sin() + i for i in range(3))
    try:
        return same_value(student.attention(Q, K, V, 2), [t.float() for t in reference.attention(Q, K, V)], 1e-4)
    except StudentFault:
        return False


def expect_reaching_gradients(student: Student, name: str, inputs: tuple[Tensor, ...]) -> None:
    """A finite gradient that is not zero for every argument, save where the student's own `attention` lets none through."""
    shape = (*inputs[0].shape[:-1], inputs[-1].shape[-1])
    reached = reached_arguments(student, name, inputs, shape)
    if all(reached):
        return
    X_q, X_k, W_Q, W_K, W_V = sequences_and_weights(name, inputs)
    through_Q, through_K, through_V = attention_passes(student, X_q @ W_Q, X_k @ W_K, X_k @ W_V)
    weights_passed = (through_Q, through_K, through_V)
    sequences_passed = (any(weights_passed),) if name == "self_attention" else (through_Q, through_K or through_V)
    for i, (here, passed) in enumerate(zip(reached, (*sequences_passed, *weights_passed), strict=True)):
        expect_reached(here or not passed, name, i)


def expect_reached(reached: bool, name: str, argument: int) -> None:
    """A gradient for the argument at a position."""
    hint = "is there a detach() or torch.no_grad() on the way?"
    expect(reached, f"no gradient reaches argument {argument + 1} of `{name}`", "a gradient for every argument", hint)


def attention_passes(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> tuple[bool, bool, bool]:
    """Which of Q, K and V get a gradient through the student's own `attention`; all, where it does not work at all."""
    try:
        Q_passes, K_passes, V_passes = reached_arguments(
            student, "attention", (Q, K, V, K.shape[-1]), (*Q.shape[:-1], V.shape[-1])
        )
    except StudentFault:
        return True, True, True
    return Q_passes, K_passes, V_passes


def reached_arguments(
    student: Student, name: str, inputs: tuple[Any, ...], shape: tuple[int, ...], path: tuple[int, ...] = (0,)
) -> list[bool]:
    """For each tensor among the inputs, whether a useful gradient of the result at `path` (of this shape) arrives."""
    given = [t.clone().requires_grad_(True) if isinstance(t, Tensor) else t for t in inputs]
    wrt = [str(i) for i, t in enumerate(given) if isinstance(t, Tensor)]
    cotangent = torch.linspace(-1, 1, math.prod(shape), dtype=torch.float64).reshape(shape)
    found = student.ask(name, *given, gradients=Gradients([(path, cotangent)], wrt)).gradients
    return [isinstance(g, Tensor) and bool(g.isfinite().all()) and bool((g != 0).any()) for g in found]
