"""Checks of what `masked_attention` computes; grader_tests/m4/guards.py asks for its errors."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader_tests.m4.batches import (
    CASES,
    LOW,
    NARROW_CASES,
    Batch,
    draw_mixed_batch,
    large_batches,
    lower,
    orthogonal_batch,
    shift_keys,
)
from grader_tests.m4.guards import ONE_EXAMPLE, ONE_KEY, ONE_REAL, refused_kinds, unusual_inputs
from grader_tests.m4.pairs import ask_masked, expect_masked, expect_masked_or_guarded, in_order, rounded_roots
from grader_tests.references import masking as reference
from grader_tests.vocabulary.inputs import DTYPES, SINGLE, SIZES, non_contiguous
from grader_tests.vocabulary.rules import ask_in_any_layout, expect_gradients, expect_pure, expect_repeatable
from grader_tests.vocabulary.shares import (
    LOW_ENOUGH,
    STRUCTURE,
    close_where_real,
    expect_excluded,
    expect_following,
    expect_no_weight,
    expect_row_sums,
)
from grading.checks import CheckFailed, check
from grading.expectations import TOLERANCE, expect, expect_close, expect_dtype, expect_tensor
from grading.student import Student, StudentFault

# Published weights are printed to four digits: half a unit of the last, and a little for float32.
PRINTED = 6e-5


@check(
    "masked_attention_published",
    cell="masked_attention",
    points=1,
    uses=("masked_attention",),
    about="the published batch of two, whose second example has two real keys",
)
def masked_attention_published(student: Student, generator: torch.Generator) -> None:
    """The chapter's mask demo; it is known to students, so its digits may be told. What came back might be another input."""
    demo = torch.Generator().manual_seed(6050133)
    Q, K, V = (torch.randn(*shape, generator=demo) for shape in ((2, 2, 4), (2, 4, 4), (2, 4, 3)))
    batch = (Q, K, V, torch.tensor([[True, True, True, True], [True, True, False, False]]))
    weights = expect_tensor(ask_masked(student, batch)[1], (2, 2, 4), "the weights")
    printed = [[0.1450, 0.3214, 0.2767, 0.2569], [0.2263, 0.1667, 0.3471, 0.2599], [0.9413, 0.0587, 0, 0], [0.4090, 0.5910, 0, 0]]
    gap = (weights.double().flatten(0, 1) - torch.tensor(printed)).abs()
    if not bool((gap <= PRINTED).all()):
        known = [name for name in known_mistakes(weights, batch, PRINTED) if name in mistakes_of_fresh_batch(student, generator)]
        off = int((~(gap <= PRINTED)).sum())
        raise CheckFailed(f"{off} of the 16 published weights differ", f"{printed}", mistake=next(iter(known), ""))


def known_mistakes(weights: Tensor, batch: Batch, tolerance: float) -> list[str]:
    """The known mistakes that weights (B, m, n) are explained by."""
    mistakes = reference.mistaken_masked_attention(*batch)
    return [name for name, wrong in mistakes.items() if close_where_real(weights, wrong, tolerance)]


def mistakes_of_fresh_batch(student: Student, generator: torch.Generator) -> list[str]:
    """What explains a batch with padding in every example: with little padding, several mistakes look alike."""
    batch = draw_mixed_batch(generator, *CASES[0])
    try:
        weights = expect_tensor(ask_masked(student, batch)[1], (4, SIZES[0].T_q, SIZES[0].T_k), "the weights")
    except (CheckFailed, StudentFault):
        return []
    return known_mistakes(weights, batch, TOLERANCE[torch.float64])


@check(
    "masked_attention_values",
    cell="masked_attention",
    points=1,
    uses=("masked_attention",),
    about="context and weights of fresh batches with padding",
)
def masked_attention_values(student: Student, generator: torch.Generator) -> None:
    """Sizes that all differ, then sizes that happen to be equal, both dtypes, padding anywhere."""
    for B, sizes in CASES:
        for dtype in DTYPES:
            expect_masked_or_guarded(student, draw_mixed_batch(generator, B, sizes, dtype))
    for B, sizes in NARROW_CASES:
        expect_masked_or_guarded(student, draw_mixed_batch(generator, B, sizes, torch.float32), mistaken=rounded_roots)
    Q, K, V, valid = draw_mixed_batch(generator, 4, SIZES[0])
    expect_masked_or_guarded(student, (*lower(Q, K, LOW), V, valid), " where all scores are negative")
    unpadded = torch.ones_like(valid)
    expect_masked_or_guarded(student, (Q, K, V, unpadded), " without padding")


@check(
    "masked_attention_excludes",
    cell="masked_attention",
    points=1,
    uses=("masked_attention",),
    about="padded keys weigh exactly 0.0, real ones share the whole by their dot products",
)
def masked_attention_excludes(student: Student, generator: torch.Generator) -> None:
    """The structure of a masked attention, at any positive scale."""
    for B, sizes in CASES:
        for dtype in DTYPES:
            batch = draw_mixed_batch(generator, B, sizes, dtype)
            Q, K, V, valid = batch
            context, weights = ask_masked(student, batch)
            weights = expect_tensor(weights, (B, sizes.T_q, sizes.T_k), "the weights")
            expect_excluded(weights, valid[:, None, :], "padded keys")
            expect_row_sums(weights, "what padded keys would have had goes to the real ones: mask before the softmax")
            mixed = (weights.double() @ V.double()).to(dtype)
            expect_close(context, mixed, "the context, against your own weights times the values,", tolerance=STRUCTURE)
            if dtype is torch.float64:  # in float32 one in a million pairs of scores is so close that rounding decides
                expect_following(weights, Q @ K.mT, valid[:, None, :])


@check(
    "masked_attention_padding",
    cell="masked_attention",
    points=1,
    uses=("masked_attention",),
    about="NaN, infinity and large numbers in padded values never reach the context",
)
def masked_attention_padding(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights of real keys: what these are is judged elsewhere."""
    for filler in (torch.nan, torch.inf, -torch.inf, 1e6, None):
        Q, K, V, valid = draw_mixed_batch(generator, 4, SIZES[0])
        padded = ~valid[:, :, None].expand_as(V)
        odd = torch.tensor([torch.nan, torch.inf, -torch.inf]).double()[torch.randint(3, V.shape, generator=generator)]
        filled = torch.where(padded, odd if filler is None else torch.full_like(V, filler), V)
        context, weights = ask_masked(student, (Q, K, filled, valid))
        told = "NaN and infinity" if filler is None else f"{filler:g}"
        weights = expect_tensor(weights, (4, 3, 5), "the weights")
        real = torch.where(valid[:, None, :], weights.double(), 0.0)
        expect_following(real, Q @ K.mT, valid[:, None, :])
        expected = real @ torch.where(padded, 0.0, V)
        hint = "padded keys are to weigh exactly 0.0, or their values to be replaced before you multiply"
        if filler is None or not math.isfinite(filler):
            hint = "0.0 * NaN is NaN: a weight of zero does not stop it. Replace padded values before you multiply"
        expect_close(context, expected, f"the context with {told} in padded values", hint=hint, tolerance=STRUCTURE)


@check(
    "masked_attention_extremes",
    cell="masked_attention",
    points=0.5,
    uses=("masked_attention",),
    about="scores near 1e4 of either sign, a single query, a single key, a single example, scores of zero",
)
def masked_attention_extremes(student: Student, generator: torch.Generator) -> None:
    """Where a fill is too small, or softmax overflows, and the degenerate cases."""
    expect_unseen_padding(student, generator)
    for Q, K, V, valid in large_batches(generator):
        # Scores of 1e4 carry errors of 1e4 * 1e-16 * some terms into the exponent: 1e-9 is 100 times that.
        leaky = expect_tensor(ask_masked(student, (Q, K, V, valid))[1], (*Q.shape[:2], K.shape[1]), "the weights")
        expect_excluded(leaky, valid[:, None, :], "padded keys, for scores near 1e4,", LOW_ENOUGH)
        expect_masked(student, (Q, K, V, valid), " for scores near 1e4", tolerance=1e-9)
        single = (Q.float(), K.float(), V.float(), valid)
        context, weights = ask_masked(student, single)
        weights = expect_tensor(weights, (*Q.shape[:2], K.shape[1]), "the weights")
        context = expect_tensor(context, (*Q.shape[:2], V.shape[2]), "the context")
        finite = bool(weights.isfinite().all() and context.isfinite().all())
        expect(finite, "NaN or infinity in float32 for scores near 1e4", "finite numbers")
        expect_excluded(weights, valid[:, None, :], "padded keys, for scores near 1e4,", LOW_ENOUGH)
        # A float32 near 1e4 is known to 5e-4, and so is the logarithm of what it is the exponent of.
        expect_row_sums(weights, "", tolerance=2e-3)
        # The sum of 16 terms near 4e4 may be off by 0.03, a score by 0.01, and a weight by that share of itself; five times that.
        shares = reference.masked_attention(*single)[1]
        expect_close(weights, shares, "the weights in float32, for scores near 1e4,", tolerance=0.05)
    expect_masked_where_unusual(student, generator)
    Q, K, V, valid = orthogonal_batch(generator)
    expect_masked(student, (Q, K, V, valid), " with scores that are exactly zero")


def expect_masked_where_unusual(student: Student, generator: torch.Generator) -> None:
    """A single query, key or example, and one real key; not what the last guard refuses: that is held against it there."""
    refused = refused_kinds(student, generator)
    for sizes in SINGLE:
        for B in (1, 3):
            if (B == 1 and ONE_EXAMPLE in refused) or (sizes.T_k == 1 and ONE_KEY in refused):
                continue
            told = f" with {B} examples, {sizes.T_q} queries, {sizes.T_k} keys"
            expect_masked(student, draw_mixed_batch(generator, B, sizes), told)
    if ONE_REAL not in refused:
        expect_masked(student, unusual_inputs(generator)[ONE_REAL], f" with {ONE_REAL}")


def expect_unseen_padding(student: Student, generator: torch.Generator) -> None:
    """Padded keys that score far above the real ones, where a number that is added to their scores may not be low enough.

    By 600, which leaves "softmax, zero, renormalise" shares of 1e-261 to divide by; and by 2e4, where it has nothing left.
    """
    Q, K, V, valid = draw_mixed_batch(generator, 3, SIZES[2])
    apart, allowed = torch.where(valid, -1.0, 1.0).double(), valid[:, None, :]
    high, higher = ((*shift_keys(Q, K, size * apart), V) for size in (300, 1e4))

    def weights_of(*inputs: Tensor) -> Tensor:
        return expect_tensor(ask_masked(student, (inputs[0], inputs[1], inputs[2], valid))[1], (3, 5, 7), "the weights")

    expect_excluded(weights_of(Q, K, V), allowed, "padded keys")
    expect_excluded(weights_of(*high), allowed, "padded keys that score above the real ones", LOW_ENOUGH)
    expect_masked(student, (*high, valid), " where padded keys score above the real ones")
    for dtype in DTYPES:
        expect_no_weight(weights_of(*(t.to(dtype) for t in higher)), allowed, "padded keys")


@check(
    "masked_attention_properties",
    cell="masked_attention",
    points=0.5,
    uses=("masked_attention",),
    about="gradients (also beside NaN in padded values), dtype, arguments left alone, an example alone, shuffled keys",
)
def masked_attention_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values."""
    Q, K, V, valid = draw_mixed_batch(generator, 4, SIZES[0])
    Q, K = lower(Q, K, LOW)
    batch = (Q, K, V, valid)
    reply = student.ask("masked_attention", *batch)
    expect_pure(reply, "masked_attention")
    padded = ~valid[:, :, None].expand_as(V)
    unknown = V.masked_fill(padded, torch.nan)
    expect_pure(student.ask("masked_attention", Q, K, unknown, valid), "masked_attention")
    context = expect_kept_dtype(in_order(reply.value, batch), torch.float64)
    expect_kept_dtype(ask_masked(student, (Q.float(), K.float(), V.float(), valid)), torch.float32)
    expect_repeatable(context, ask_masked(student, batch)[0], "masked_attention")
    for i in range(0 if ONE_EXAMPLE in refused_kinds(student, generator) else 4):
        alone = ask_masked(student, (Q[i : i + 1], K[i : i + 1], V[i : i + 1], valid[i : i + 1]))[0]
        expect_close(alone, context[i : i + 1], "an example alone, against itself in the batch,")
    order = torch.randperm(5, generator=generator)
    shuffled = ask_masked(student, (Q, K[:, order], V[:, order], valid[:, order]))[0]
    expect_close(shuffled, context, "the context after keys, values and mask were shuffled together")
    odd = (non_contiguous(Q), non_contiguous(K), non_contiguous(V), non_contiguous(valid))
    ask_in_any_layout(student, "masked_attention", *odd)
    expect_masked_or_guarded(student, odd, " in odd layouts")
    for values, where in ((V, ""), (unknown, ", where padded values are NaN,")):
        given = (Q, K, values, valid)
        expect_gradients(student, "masked_attention", given, [(0,), (1,)], reference.masked_attention, generator, where=where)


def expect_kept_dtype(pair: tuple[Any, Any], dtype: torch.dtype) -> Tensor:
    """The context, once both parts have the dtype of the inputs."""
    for value, shape, name in ((pair[0], (4, 3, 7), "the context"), (pair[1], (4, 3, 5), "the weights")):
        expect_dtype(expect_tensor(value, shape, name), dtype, name)
    return expect_tensor(pair[0], (4, 3, 7), "the context")
