"""Checks of `attention`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import attention as reference
from grader_tests.vocabulary.compositions import PAIR
from grader_tests.vocabulary.from_scratch import forbid_ready_made
from grader_tests.vocabulary.inputs import (
    DTYPES,
    LEADING,
    ODD_WIDTHS,
    SINGLE,
    SIZES,
    draw,
    draw_attention_inputs,
    examples,
    non_contiguous,
    with_axes,
)
from grader_tests.vocabulary.rules import expect_gradients, expect_pure, expect_repeatable
from grading.checks import CheckFailed, check
from grading.expectations import expect, expect_close, expect_dtype, expect_pair, expect_tensor
from grading.student import Student

# Published figures are printed to four digits: half a unit of the last, and a little for float32.
PRINTED = 6e-5


def ask_attention(student: Student, Q: Tensor, K: Tensor, V: Tensor, name: str = "attention") -> tuple[Any, Any]:
    """The student's output and weights."""
    return in_order(getattr(student, name)(Q, K, V, K.shape[-1]), Q, K, V)


def in_order(value: Any, Q: Tensor, K: Tensor, V: Tensor) -> tuple[Any, Any]:
    """Two things, which are not the weights and the output instead of the output and the weights."""
    pair = expect_pair(value, PAIR)
    shapes = tuple(tuple(part.shape) if isinstance(part, Tensor) else None for part in pair)
    right = ((*Q.shape[:-1], V.shape[-1]), (*Q.shape[:-1], K.shape[-2]))
    expect(shapes == right or shapes != right[::-1], "the weights, then the output", "the output, then the weights")
    return pair


def expect_attention(
    student: Student, Q: Tensor, K: Tensor, V: Tensor, what: str = "", tolerance: float | None = None
) -> tuple[Tensor, Tensor]:
    """Output and weights agree with the reference; weights are judged first, for they tell the mistake."""
    output, weights = ask_attention(student, Q, K, V)
    expected_output, expected_weights = (t.to(Q.dtype) for t in reference.attention(Q, K, V))
    mistakes = partial(reference.mistaken_attention, Q, K, V)
    found_weights = expect_close(weights, expected_weights, f"the weights{what}", mistakes=mistakes, tolerance=tolerance)
    found_output = expect_close(output, expected_output, f"the output{what}", tolerance=tolerance)
    return found_output, found_weights


@check(
    "attention_from_scratch",
    cell="attention",
    points=1,
    uses=("attention",),
    about="weights that are shares, an output mixed by them, written from its parts",
)
def attention_from_scratch(student: Student, generator: torch.Generator) -> None:
    """The structure of an attention, at any positive scale; and no ready-made one."""
    for sizes in SIZES:
        Q, K, V = draw_attention_inputs(generator, sizes)
        reply = student.ask("attention", Q, K, V, sizes.d_k, watch=True)
        forbid_ready_made(student.sources.get("attention_answer", ""), reply)
        output, weights = in_order(reply.value, Q, K, V)
        weights = expect_tensor(weights, (sizes.T_q, sizes.T_k), "the weights")
        # The structure alone is judged here, so digits lost on the way are left to the other checks.
        row_hint = "the softmax runs over the keys, the last axis"
        expect_close(
            weights.sum(dim=-1).double(),
            torch.ones(sizes.T_q).double(),
            "the row sums of the weights",
            hint=row_hint,
            tolerance=1e-5,
        )
        expect(bool((weights >= 0).all()), "a weight is negative", "shares between 0 and 1")
        expect_close(output, weights.double() @ V, "the output, against your own weights times V,", tolerance=1e-5)
        expect(
            same_order(weights, Q @ K.T),
            "a key with a larger dot product got a smaller weight",
            "weights in the order of the dot products",
        )


def same_order(weights: Tensor, dots: Tensor) -> bool:
    """(m, n), (m, n): whether each row of weights rises with the dot products, strictly from its smallest to its largest."""
    sorted_weights = weights.gather(-1, dots.argsort(dim=-1))
    return bool((sorted_weights.diff(dim=-1) >= 0).all() and (sorted_weights[:, -1] > sorted_weights[:, 0]).all())


@check(
    "attention_published", cell="attention", points=1, uses=("attention",), about="the traced example and the two published rows"
)
def attention_published(student: Student, generator: torch.Generator) -> None:
    """Figures of the lesson and the chapter that hold; the output rows are the true ones, not the misprinted table's."""
    traced = torch.Generator().manual_seed(42)
    Q, K = torch.randn(3, 4, generator=traced), torch.randn(3, 4, generator=traced)
    V = torch.tensor([[0.1, -0.5, 0.8, 0.3], [0.6, 0.2, -0.4, 0.9], [-0.3, 0.7, 0.1, -0.2]])
    output, weights = ask_attention(student, Q, K, V)
    expect_printed(
        weights,
        [[0.3017, 0.3098, 0.3884], [0.2451, 0.3801, 0.3748], [0.2938, 0.2293, 0.4769]],
        "the weights of the traced example",
        reference.mistaken_attention(Q, K, V),
    )
    expect_printed(
        output,
        [[0.0995, 0.1830, 0.1563, 0.2917], [0.1402, 0.2158, 0.0815, 0.3407], [0.0239, 0.2328, 0.1910, 0.1991]],
        "the output of the traced example",
    )
    X = torch.randn(4, 8, generator=torch.Generator().manual_seed(7))
    weights = expect_tensor(ask_attention(student, X, X, X)[1], (4, 4), "the weights")
    expect_printed(weights[0], [0.4990, 0.0390, 0.3093, 0.1527], "the first row of weights with Q = K = V = X")
    query, keys = torch.tensor([[1.0, 0, 0, 0]]), torch.tensor([[1.10, 1, 2, 3], [-0.60, 3, 1, 2], [0.15, 2, 3, 1]])
    weights = ask_attention(student, query, keys, torch.eye(3))[1]
    expect_printed(weights, [[0.4880, 0.2086, 0.3035]], "the weights for the dot products 1.10, -0.60, 0.15")


def expect_printed(found: Any, digits: list[Any], what: str, mistakes: Mapping[str, Tensor] | None = None) -> None:
    """A value agrees with four printed digits, which are shown; what came back is not: it could carry hidden inputs."""
    expected = torch.tensor(digits)
    tensor = expect_tensor(found, tuple(expected.shape), what)
    if not as_printed(tensor, expected):
        known = next((name for name, wrong in (mistakes or {}).items() if as_printed(tensor, wrong)), "")
        gap = float((tensor.double() - expected.double()).abs().max())
        raise CheckFailed(f"{what}: a difference of up to {gap:.2g}", f"{digits}", mistake=known)


def as_printed(tensor: Tensor, expected: Tensor) -> bool:
    """Whether two tensors agree to the digits that are printed."""
    return tensor.shape == expected.shape and bool(((tensor.double() - expected.double()).abs() <= PRINTED).all())


@check(
    "attention_values",
    cell="attention",
    points=1,
    uses=("attention",),
    about="output and weights of fresh inputs, without a batch",
)
def attention_values(student: Student, generator: torch.Generator) -> None:
    """Several sizes, both dtypes."""
    for sizes in (*SIZES, *ODD_WIDTHS):
        for dtype in DTYPES if sizes in SIZES else (torch.float32,):
            expect_attention(student, *draw_attention_inputs(generator, sizes, (), dtype))


@check(
    "attention_batched",
    cell="attention",
    points=1,
    uses=("attention",),
    about="leading batch axes, and each example as if it were alone",
)
def attention_batched(student: Student, generator: torch.Generator) -> None:
    """None, one and two leading axes, also of the same length as other axes."""
    for leading in (*LEADING, (5,), (1,)):
        expect_attention(student, *draw_attention_inputs(generator, SIZES[0], leading), what=with_axes(leading))
    Q, K, V = draw_attention_inputs(generator, SIZES[1], (3,))
    together = expect_tensor(ask_attention(student, Q, K, V)[0], (3, 6, 5), "the output")
    for i, (one_Q, one_K, one_V) in enumerate(examples(Q, K, V)):
        expect_close(
            ask_attention(student, one_Q, one_K, one_V)[0], together[i], "an example alone, against itself in the batch,"
        )


@check(
    "attention_extremes",
    cell="attention",
    points=1,
    uses=("attention",),
    about="scores near 1e4, one query, one key, equal keys, scores of zero",
)
def attention_extremes(student: Student, generator: torch.Generator) -> None:
    """Where softmax overflows if it is written without care, and the degenerate cases."""
    for Q, K, V in large_inputs(generator):
        # Scores of 1e4 carry errors of 1e4 * 1e-16 * some terms into the exponent: 1e-9 is 100 times that.
        expect_attention(student, Q, K, V, what=" for scores near 1e4", tolerance=1e-9)
        expect_finite_rows(student, Q.float(), K.float(), V.float())
    for sizes in SINGLE:
        expect_attention(student, *draw_attention_inputs(generator, sizes), what=f" with {sizes.T_q} queries, {sizes.T_k} keys")
    Q, K, V = orthogonal_inputs(generator)
    expect_attention(student, Q, K, V, what=" with scores that are exactly zero")
    Q, K, V = draw_attention_inputs(generator, SIZES[0])
    expect_attention(student, Q, K[:1].expand_as(K).clone(), V, what=" with equal keys")


def orthogonal_inputs(generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Keys at a right angle to a query: a score of zero is a score, no sign of padding."""
    Q = torch.tensor([[1.0, 0, 0, 0], [0, 2, 0, 0]], dtype=torch.float64)
    K = torch.tensor([[0.0, 1, 3, 0], [1, 0, 0, 2], [1, 1, 0, 0]], dtype=torch.float64)
    return Q, K, draw(generator, 3, 5)


def large_inputs(generator: torch.Generator) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Scores near 1e4 in two ways: far apart (rows nearly one-hot), and close together around an offset that differs by row."""
    sizes = SIZES[2]
    Q, K, V = draw_attention_inputs(generator, sizes)
    yield Q * (1e4 / float((Q @ K.T / math.sqrt(sizes.d_k)).abs().max())), K, V
    # The last coordinate adds the same to every score of a row, so that the shares stay those of the other coordinates.
    Q, K, V = draw_attention_inputs(generator, sizes)
    Q[:, -1] = torch.tensor([1e4, -1e4, 7e3, -20.0, 3e2]) * math.sqrt(sizes.d_k)
    K[:, -1] = 1.0
    yield Q, K, V


def expect_finite_rows(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> None:
    """In float32 right orders of operation differ by 2e-4 at such scores: finite numbers and row sums are all that is asked."""
    output, weights = ask_attention(student, Q, K, V)
    weights = expect_tensor(weights, (Q.shape[0], K.shape[0]), "the weights")
    output = expect_tensor(output, (Q.shape[0], V.shape[1]), "the output")
    finite = bool(weights.isfinite().all() and output.isfinite().all())
    expect(
        finite,
        "NaN or infinity in float32 for scores near 1e4",
        "finite numbers",
        "take each row's maximum off before the exponential, as torch.softmax does",
    )
    # A float32 near 1e4 is known to 5e-4, and so is the logarithm of what it is the exponent of: exp(s - logsumexp(s)) is right.
    expect_close(weights.sum(dim=-1), torch.ones(Q.shape[0]), "the row sums in float32 for scores near 1e4", tolerance=2e-3)


@check(
    "attention_properties",
    cell="attention",
    points=1,
    uses=("attention",),
    about="gradients, dtype, arguments left alone, permuted tokens, odd memory layouts",
)
def attention_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values."""
    Q, K, V = draw_attention_inputs(generator, SIZES[0])
    reply = student.ask("attention", Q, K, V, K.shape[-1])
    expect_pure(reply, "attention")
    output, weights = expect_pair(reply.value, PAIR)
    expect_attention(student, Q, K, V)
    for name, value, shape in (("the output", output, (3, 7)), ("the weights", weights, (3, 5))):
        expect_dtype(expect_tensor(value, shape, name), torch.float64, name)
    single = ask_attention(student, Q.float(), K.float(), V.float())
    for name, value, shape in (("the output", single[0], (3, 7)), ("the weights", single[1], (3, 5))):
        expect_dtype(expect_tensor(value, shape, name), torch.float32, name)
    expect_repeatable(output, ask_attention(student, Q, K, V)[0], "attention")
    order = torch.tensor([3, 0, 4, 1, 2])
    expect_close(
        ask_attention(student, Q, K[order], V[order])[0], output, "the output after keys and values were shuffled together"
    )
    expect_close(ask_attention(student, Q[[2, 0, 1]], K, V)[0], output[[2, 0, 1]], "the output for shuffled queries")
    expect_attention(student, non_contiguous(Q), non_contiguous(K), non_contiguous(V), what=" of non-contiguous inputs")
    expect_gradients(
        student, "attention", (Q, K, V, K.shape[-1]), [(0,), (1,)], lambda Q, K, V, d_k: reference.attention(Q, K, V), generator
    )
