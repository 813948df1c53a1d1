"""Checks of the exam's `calibrated_attention`: the divisor apart from the mask, and both apart from the rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from grader_tests.m4.batches import CASES, LOW, NARROW_CASES, draw_batch, large_batches, lower, orthogonal_batch, shift_keys
from grader_tests.references import exam_code as reference
from grader_tests.references.exam_code import Calibration
from grader_tests.vocabulary.inputs import DTYPES, SINGLE, SIZES, Sizes, non_contiguous
from grader_tests.vocabulary.rules import expect_gradients, expect_pure, expect_repeatable
from grader_tests.vocabulary.shares import (
    AHEAD,
    GUARDED,
    STRUCTURE,
    expect_excluded,
    expect_following,
    expect_row_sums,
    expect_weights,
    whole,
)
from grading.checks import check
from grading.expectations import TOLERANCE, close, expect, expect_close, expect_dtype, expect_pair, expect_tensor
from grading.student import Student

FUNCTION = "calibrated_attention"
USES = (FUNCTION,)
# Roots, products and their inverses are exact in float32: a scale by torch.rsqrt of a tensor costs no digits of float64.
EXACT = tuple((q, k) for q, k in permutations((0.25, 0.5, 2.0), 2) if q * k != 1)
# Known mistakes that coincide for powers of two differ for these; float32 is asked first, so that they have their names.
APART = tuple((q, k) for q, k in permutations((0.5, 0.75, 1.25, 1.5, 1.75), 2))
PAIR = ("the output", "the weights")
CUT = "are scores cut or rounded on the way? They may be as large as they are: softmax takes the largest off"


def draw_calibration(
    generator: torch.Generator, B: int, sizes: Sizes, dtype: torch.dtype = torch.float64, *, unit: bool = False
) -> Calibration:
    """A padded batch, and two variances that differ and whose product is not one.

    Inputs are drawn with these variances, so that scores are near one after the right division.
    """
    pairs = ((1.0, 1.0),) if unit else EXACT if dtype is torch.float64 else APART
    std_q, std_k = pairs[int(torch.randint(len(pairs), (1,), generator=generator))]
    Q, K, V, valid = draw_batch(generator, B, sizes, dtype)
    return Calibration(std_q * Q, std_k * K, V, valid, std_q**2, std_k**2)


def ask(student: Student, given: Calibration) -> tuple[Any, Any]:
    """The student's output and weights."""
    return in_order(student.ask(FUNCTION, *given).value, given)


def in_order(value: Any, given: Calibration) -> tuple[Any, Any]:
    """Two things, which are not the weights and the output instead of the output and the weights."""
    pair = expect_pair(value, PAIR)
    shapes = tuple(tuple(part.shape) if isinstance(part, Tensor) else None for part in pair)
    right = ((*given.Q.shape[:2], given.V.shape[2]), (*given.Q.shape[:2], given.K.shape[1]))
    expect(shapes == right or shapes != right[::-1], "the weights, then the output", "the output, then the weights")
    return pair


def ask_free(student: Student, given: Calibration) -> tuple[Any, Any]:
    """Output and weights where every key is read.

    Whoever has turned the mask upside down has nothing to read where all is valid, and pays for it where padding is asked for.
    """
    everything = unpadded(given)
    output, weights = ask(student, everything)
    if isinstance(weights, Tensor) and not tells_apart(weights):
        return ask(student, everything._replace(key_is_valid=~everything.key_is_valid))
    return output, weights


def unpadded(given: Calibration) -> Calibration:
    """The same question with every key valid."""
    return given._replace(key_is_valid=torch.ones_like(given.key_is_valid))


def tells_apart(weights: Tensor) -> bool:
    """Whether some query weighs its keys differently; NaN tells nothing apart."""
    return bool((weights.amax(dim=-1) - weights.amin(dim=-1) > 1e-3).any())


def expect_calibrated(student: Student, given: Calibration, what: str = "") -> None:
    """The weights of an unpadded question agree with the reference."""
    expect_weights_of(ask_free(student, given)[1], given, f"the weights{what}")


def expect_weights_of(weights: Any, given: Calibration, what: str) -> None:
    """The definition's weights; a known mistake is called by its name."""
    right = reference.calibrated_attention(given)[1].to(given.Q.dtype)
    expect_weights(whole(weights), right, what, partial(reference.mistaken_calibrated_weights, given))


@check("calibrated_attention_unit", cell=FUNCTION, points=2, uses=USES, about="the weights where both variances are one")
def calibrated_attention_unit(student: Student, generator: torch.Generator) -> None:
    """Sizes that differ and sizes that are equal, both dtypes, no padding."""
    for B, sizes in CASES:
        for dtype in DTYPES:
            expect_calibrated(student, unpadded(draw_calibration(generator, B, sizes, dtype, unit=True)))


@check("calibrated_attention_divisor", cell=FUNCTION, points=3, uses=USES, about="the weights for variances that are not one")
def calibrated_attention_divisor(student: Student, generator: torch.Generator) -> None:
    """Two variances, then each of them alone, as floats and as whole numbers; no padding."""
    for B, sizes in CASES:
        for dtype in reversed(DTYPES):
            given = unpadded(draw_calibration(generator, B, sizes, dtype))
            for changed in (given, given._replace(var_q=1.0), given._replace(var_k=1.0)):
                expect_calibrated(student, changed)
    for B, sizes in NARROW_CASES:
        given = unpadded(draw_calibration(generator, B, sizes, torch.float32))
        expect_calibrated(student, given._replace(var_q=0.3, var_k=2.2))
    given = unpadded(draw_calibration(generator, 4, SIZES[0]))
    expect_calibrated(student, given._replace(var_q=4, var_k=16), " for whole variances")


@check("calibrated_attention_mask", cell=FUNCTION, points=1, uses=USES, about="the weights of the keys that are valid")
def calibrated_attention_mask(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights without padding: valid keys share what they had, divided by its sum."""
    for B, sizes in CASES:
        for dtype in DTYPES:
            given = draw_calibration(generator, B, sizes, dtype)
            free = ask_free(student, given)[1]
            weights = ask(student, given)[1]
            fits = isinstance(free, Tensor) and free.shape == (B, sizes.T_q, sizes.T_k) and tells_apart(free)
            if not (fits and isinstance(weights, Tensor) and close(whole(weights), shared_anew(free, given), TOLERANCE[dtype])):
                expect_weights_of(weights, given, "the weights under a mask")


def shared_anew(weights: Tensor, given: Calibration) -> Tensor:
    """(B, m, n): what valid keys have of a row, divided by its sum."""
    kept = weights * given.key_is_valid[:, None, :]
    return kept / kept.sum(dim=-1, keepdim=True)


@check(
    "calibrated_attention_excludes",
    cell=FUNCTION,
    points=1,
    uses=USES,
    about="padded keys weigh exactly 0.0, real ones share the whole by their dot products",
)
def calibrated_attention_excludes(student: Student, generator: torch.Generator) -> None:
    """The structure of a masked attention, at any positive scale, where scores are ordinary and where all are negative."""
    for B, sizes in CASES:
        for _ in range(2):
            given = draw_calibration(generator, B, sizes)
            Q, K = lower(given.Q, given.K, LOW * (given.var_q * given.var_k) ** 0.5)
            for some in (given, given._replace(Q=Q, K=K)):
                expect_structure(student, some)


@check("calibrated_attention_output", cell=FUNCTION, points=1, uses=USES, about="the values, mixed by the weights")
def calibrated_attention_output(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights, which differ from key to key; no padding."""
    for B, sizes in CASES:
        for dtype in DTYPES:
            given = draw_calibration(generator, B, sizes, dtype)
            output, weights = ask_free(student, given)
            weights = expect_tensor(weights, (B, sizes.T_q, sizes.T_k), "the weights")
            expect(tells_apart(weights), "all keys weigh the same", "weights that differ from key to key")
            mixed = (weights.double() @ given.V.double()).to(dtype)
            expect_close(output, mixed, "the output, against your own weights times the values,", tolerance=STRUCTURE)


@check(
    "calibrated_attention_padding",
    cell=FUNCTION,
    points=1,
    uses=USES,
    about="NaN and infinity in padded values do not reach the output",
)
def calibrated_attention_padding(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights of real keys: what these are is judged elsewhere."""
    for filler in (torch.nan, torch.inf, -torch.inf, 1e6):
        given = draw_calibration(generator, 4, SIZES[0])
        padded = ~given.key_is_valid[:, :, None].expand_as(given.V)
        output, weights = ask(student, given._replace(V=given.V.masked_fill(padded, filler)))
        weights = expect_tensor(weights, (4, 3, 5), "the weights")
        real = torch.where(given.key_is_valid[:, None, :], weights.double(), 0.0)
        expect_following(real, given.Q @ given.K.mT, given.key_is_valid[:, None, :])
        hint = "0.0 * NaN is NaN: a weight of zero does not stop it. Replace padded values before you multiply"
        expected = real @ given.V.masked_fill(padded, 0.0)
        expect_close(output, expected, f"the output with {filler:g} in padded values", hint=hint, tolerance=STRUCTURE)


@check(
    "calibrated_attention_extremes",
    cell=FUNCTION,
    points=0.5,
    uses=USES,
    about="scores near 1e4 of either sign, high ones of padded keys, a single query, key or example, scores of zero",
)
def calibrated_attention_extremes(student: Student, generator: torch.Generator) -> None:
    """The structure, at any positive scale, and the values of whoever has them right elsewhere; both variances are one."""
    ordinary = unpadded(draw_calibration(generator, 3, SIZES[2], unit=True))
    right = agrees(ask(student, ordinary)[1], ordinary)
    for batch in large_batches(generator):
        given = Calibration(*batch, 1.0, 1.0)
        weights = expect_tensor(ask(student, given)[1], (*given.Q.shape[:2], given.K.shape[1]), "the weights")
        expect_excluded(weights, given.key_is_valid[:, None, :], "padded keys, for scores near 1e4,")
        expect_row_sums(weights, "is a number so large or so small that it is lost?")
        expect(
            agrees(weights, given) or not right,
            "other weights than the definition's for scores near 1e4",
            "the same formula",
            CUT,
        )
        output, weights = ask(student, each(given, Tensor.float))
        for part, what in ((output, "the output"), (weights, "the weights")):
            finite = isinstance(part, Tensor) and bool(part.isfinite().all())
            expect(finite, f"NaN or infinity in {what} in float32 for scores near 1e4", "finite numbers")
    Q, K, V, valid = draw_batch(generator, 3, SIZES[2])
    ahead = Calibration(*shift_keys(Q, K, torch.where(valid, 0.0, AHEAD)), V, valid, 1.0, 1.0)
    expect_row_sums(expect_tensor(ask(student, ahead)[1], (*Q.shape[:2], K.shape[1]), "the weights"), GUARDED)
    for sizes in SINGLE:
        for B in (1, 3):
            expect_structure(student, Calibration(*draw_batch(generator, B, sizes), 1.0, 1.0))
    expect_structure(student, Calibration(*orthogonal_batch(generator), 1.0, 1.0))


def expect_structure(student: Student, given: Calibration) -> None:
    """Weights of the right shape: nothing for padded keys, the whole for real ones, in the order of the dot products."""
    valid = given.key_is_valid[:, None, :]
    weights = expect_tensor(ask(student, given)[1], (*given.Q.shape[:2], given.K.shape[1]), "the weights")
    expect_excluded(weights, valid, "padded keys")
    expect_row_sums(weights, "what padded keys would have had goes to the real ones: mask before the softmax")
    expect_following(weights, given.Q @ given.K.mT, valid)


def agrees(weights: Any, given: Calibration) -> bool:
    """Whether weights are the definition's, in float64: scores near 1e4 are known to 1e-11 there."""
    right = reference.calibrated_attention(given)[1]
    return isinstance(weights, Tensor) and weights.shape == right.shape and close(whole(weights), right, TOLERANCE[right.dtype])


def each(given: Calibration, change: Callable[[Tensor], Tensor]) -> Calibration:
    """The same question with Q, K and V changed."""
    return given._replace(Q=change(given.Q), K=change(given.K), V=change(given.V))


@check(
    "calibrated_attention_properties",
    cell=FUNCTION,
    points=0.5,
    uses=USES,
    about="gradients, dtype, arguments left alone, half a batch, other layouts",
)
def calibrated_attention_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values; the product of the variances is one."""
    given = Calibration(*draw_batch(generator, 4, SIZES[0]), 0.25, 4.0)
    reply = student.ask(FUNCTION, *given)
    expect_pure(reply, FUNCTION)
    output = expect_kept_dtype(in_order(reply.value, given), torch.float64).detach()
    expect_kept_dtype(ask(student, each(given, Tensor.float)), torch.float32)
    expect_repeatable(output, ask(student, given)[0], FUNCTION)
    for half in (slice(2), slice(2, 4)):  # a single example is asked with the extremes
        Q, K, V, valid = (t[half] for t in given[:4])
        alone = ask(student, Calibration(Q, K, V, valid, given.var_q, given.var_k))[0]
        expect_close(alone, output[half], "half of a batch, against itself in the whole,", tolerance=STRUCTURE)
    odd = each(given, non_contiguous)._replace(key_is_valid=non_contiguous(given.key_is_valid))
    expect_close(ask(student, odd)[0], output, "the output of inputs in another layout", tolerance=STRUCTURE)

    def right(*arguments: Any) -> tuple[Tensor]:
        return reference.calibrated_attention(Calibration(*arguments))[:1]

    (definition,) = right(*given)
    if close(output, definition, TOLERANCE[definition.dtype]):  # gradients of another scale are not the definition's either
        expect_gradients(student, FUNCTION, given, [(0,)], right, generator)  # the weights are there to be looked at


def expect_kept_dtype(pair: tuple[Any, Any], dtype: torch.dtype) -> Tensor:
    """The output, once both parts have the dtype of the inputs."""
    for value, shape, name in ((pair[0], (4, 3, 7), PAIR[0]), (pair[1], (4, 3, 5), PAIR[1])):
        expect_dtype(expect_tensor(value, shape, name), dtype, name)
    return expect_tensor(pair[0], (4, 3, 7), "the output")
