"""Checks of the exam's `ProjectedDotAttention`. Each part is judged by what the student makes of the others."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader_tests.exam.readings import (
    CASES,
    CLASS,
    ONE_KEY,
    PAIR,
    SHAPES,
    agrees,
    ask_free,
    ask_module,
    build,
    draw_reading,
    in_order,
    lowered,
    tells_apart,
    unmasked,
)
from grader_tests.m4.batches import LOW
from grader_tests.references import exam_code as reference
from grader_tests.references.exam_code import Projections, Reading
from grader_tests.vocabulary.inputs import DTYPES, draw, non_contiguous
from grader_tests.vocabulary.modules import expect_layers, gradient_of_layer
from grader_tests.vocabulary.rules import GRADIENT_TOLERANCE, expect_pure, expect_repeatable
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
from grading.checks import CheckFailed, check
from grading.expectations import close, expect, expect_close, expect_dtype, expect_tensor
from grading.student import Gradients, Student

CELL = "projected_dot_attention"
SCORES_TOO = "NaN plus minus infinity is NaN: replace the scores of padded keys, or these keys before they are read"
CUT = "are scores cut or rounded on the way? They may be as low as they are: softmax takes the largest off"
VALUES_TOO = "0.0 * NaN is NaN: a weight of zero does not stop it. Replace padded keys before you mix them"
NO_GRADIENT = "is there a detach(), item(), numpy() or torch.no_grad() on the way?"


@check("projected_layers", cell=CELL, points=1, uses=(CLASS,), about="two layers W_k and W_q without a bias")
def projected_layers(student: Student, generator: torch.Generator) -> None:
    """Names and shapes of the weights, each in a layer of its own."""
    for shape in SHAPES[:2]:
        reading = draw_reading(generator, shape)
        build(student, reading)
        expect_layers(student, reading.projections._asdict())


@check(
    "projected_shares", cell=CELL, points=1, uses=(CLASS,), about="shares of the keys, in the order of the projected dot products"
)
def projected_shares(student: Student, generator: torch.Generator) -> None:
    """The structure, at any positive scale, without padding."""
    for shape in SHAPES:
        reading = draw_reading(generator, shape)
        build(student, reading)
        weights = expect_tensor(ask_free(student, reading)[1], (shape.B, shape.n), "the weights")
        expect_row_sums(weights, "the softmax runs over the keys, the last axis")
        expect_following(weights, reference.projected_scores(reading), reading.key_is_valid)


@check("projected_weights", cell=CELL, points=2, uses=(CLASS,), about="the weights, with the scale of the projected width")
def projected_weights(student: Student, generator: torch.Generator) -> None:
    """Many sizes, both dtypes, no padding."""
    for shape, dtype in CASES:
        reading = draw_reading(generator, shape, dtype)
        build(student, reading)
        expect_reference_weights(ask_free(student, reading)[1], reading, "the weights")


def expect_reference_weights(weights: Any, reading: Reading, what: str) -> None:
    """The definition's weights; a known mistake is called by its name."""
    right = reference.projected_attention(reading)[1].to(reading.keys.dtype)
    expect_weights(whole(weights), right, what, partial(reference.mistaken_projected_weights, reading))


@check("projected_context", cell=CELL, points=2, uses=(CLASS,), about="the raw keys, mixed by the weights")
def projected_context(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights: what these should be is asked elsewhere. Equal shares of everything are no answer."""
    for shape, dtype in CASES:
        reading = draw_reading(generator, shape, dtype)
        build(student, reading)
        context, weights = ask_free(student, reading)
        right = reference.projected_attention(reading)[1]
        fits = isinstance(weights, Tensor) and weights.shape == right.shape and weights.dtype.is_floating_point
        own = weights if fits and tells_apart(weights) else right
        if not agrees(context, reference.mixed(right, reading.keys).to(dtype)):
            mistakes = {name: wrong.to(dtype) for name, wrong in reference.mistaken_contexts(reading, own).items()}
            expect_close(context, reference.mixed(own, reading.keys).to(dtype), "the context", mistakes=mistakes)


@check("projected_mask_values", cell=CELL, points=1, uses=(CLASS,), about="the weights of the keys that are valid")
def projected_mask_values(student: Student, generator: torch.Generator) -> None:
    """Against the student's own weights without padding: valid keys share what they had, divided by its sum."""
    for shape, dtype in CASES:
        reading = draw_reading(generator, shape, dtype, padded=True)
        build(student, reading, ())
        free = ask_free(student, reading)[1]
        reply = student.ask("module", *reading[1:])
        expect("2" not in reply.changed, "the mask was changed in place", "a mask that is left as it is")
        weights = in_order(reply.value, reading)[1]
        fits = isinstance(free, Tensor) and free.shape == reading.key_is_valid.shape and tells_apart(free)
        if not (fits and agrees(whole(weights), shared_anew(free, reading))):
            expect_reference_weights(weights, reading, "the weights under a mask")


def shared_anew(weights: Tensor, reading: Reading) -> Tensor:
    """(B, n): what valid keys have, divided by its sum."""
    kept = weights * reading.key_is_valid
    return kept / kept.sum(dim=-1, keepdim=True)


@check(
    "projected_mask_excludes",
    cell=CELL,
    points=1,
    uses=(CLASS,),
    about="padded keys weigh exactly 0.0, real ones the whole, however low the scores are; nothing of padding in the context",
)
def projected_mask_excludes(student: Student, generator: torch.Generator) -> None:
    """Scores around 0, around -8 where a fill of -20 shows, and around 10,000 of either sign, where exp is lost or a fill of -1e4
    is too high. In float64 their shares are the definition's too, of whoever has them right around 0.

    Whoever turns padded keys to zeros and takes "softmax, zero, renormalise" has nothing left at -10,000, far below their score.
    """
    for shape in SHAPES[:3]:
        for dtype in DTYPES:
            right = dtype is torch.float64
            for about in (0.0, -8.0, 1e4, -1e4):
                reading = draw_reading(generator, shape, dtype, padded=True)
                reading = lowered(reading, about) if about else reading
                build(student, reading, ())
                context, weights = ask_module(student, reading)
                weights = expect_tensor(weights, (shape.B, shape.n), "the weights")
                lost = about < LOW and bool(weights.isnan().all(dim=-1).any())
                if not lost:
                    expect_masked_shares(context, weights, reading)
                    same = agrees(whole(weights), reference.projected_attention(reading)[1])
                    told = f"other weights than the definition's for scores around {about:g}"
                    expect(same or not right or not about, told, "the same formula", CUT)
                    right = right and same
        expect_no_influence(student, draw_reading(generator, shape, padded=True), generator)
        expect_whole_rows(student, draw_reading(generator, shape, padded=True))


def expect_masked_shares(context: Any, weights: Tensor, reading: Reading) -> None:
    """Nothing for padded keys, the whole for real ones, and numbers in the context."""
    expect_excluded(weights, reading.key_is_valid, "padded keys")
    # A float32 near 1e4 is known to 5e-4, and so is the logarithm of what it is the exponent of.
    expect_row_sums(weights, "mask the scores before the softmax", tolerance=2e-3)
    finite = isinstance(context, Tensor) and bool(context.isfinite().all())
    expect(finite, "NaN or infinity in the context under a mask", "finite numbers")


def expect_whole_rows(student: Student, reading: Reading) -> None:
    """Real keys share the whole where padded ones score far above them, as they are and where they are taken for zeros."""
    low = lowered(reading, -AHEAD)
    low.keys[..., -1].masked_fill_(~low.key_is_valid, 0.0)
    build(student, low, ())
    weights = expect_tensor(ask_module(student, low)[1], tuple(low.key_is_valid.shape), "the weights")
    expect_row_sums(weights, GUARDED)


def expect_no_influence(student: Student, reading: Reading, generator: torch.Generator) -> None:
    """Other keys in padded places change nothing; no larger ones, so that "softmax, zero, renormalise" is exact too."""
    build(student, reading, ())
    before = ask_module(student, reading)[0]
    keys = torch.where(reading.key_is_valid[:, :, None], reading.keys, draw(generator, *reading.keys.shape))
    after = ask_module(student, reading._replace(keys=keys))[0]
    expect_close(after, some_tensor(before), "the context after padded keys were changed", hint="is the mask on the keys?")


def some_tensor(context: Any) -> Tensor:
    """A context, whatever its width: that is judged with its values."""
    if not isinstance(context, Tensor):
        raise CheckFailed("the context is no tensor", "a tensor")
    return context.detach()


@check(
    "projected_padding",
    cell=CELL,
    points=1,
    uses=(CLASS,),
    about="NaN and infinity in padded keys do not reach the context",
)
def projected_padding(student: Student, generator: torch.Generator) -> None:
    """Against the student's own context of ordinary padding: what that is is judged elsewhere."""
    for filler in (torch.nan, torch.inf, -torch.inf):
        reading = draw_reading(generator, SHAPES[0], padded=True)
        build(student, reading, ())
        ordinary = some_tensor(ask_module(student, reading)[0])
        expect(not close(ordinary[:1], ordinary[1:2], STRUCTURE), "the same context for other keys", "a context of the keys")
        filled = reading._replace(keys=reading.keys.masked_fill(~reading.key_is_valid[:, :, None], filler))
        context, weights = ask_module(student, filled)
        hint = SCORES_TOO if isinstance(weights, Tensor) and bool(weights.isnan().any()) else VALUES_TOO
        expect_close(context, ordinary, f"the context with {filler:g} in padded keys", hint=hint, tolerance=STRUCTURE)


@check(
    "projected_batches",
    cell=CELL,
    points=0.5,
    uses=(CLASS,),
    about="an example alone, shuffled keys, a single key, other layouts",
)
def projected_batches(student: Student, generator: torch.Generator) -> None:
    """All against the student's own answers: digits lost on the way are left to the checks of values."""
    for shape in (*SHAPES[:2], ONE_KEY):
        reading = draw_reading(generator, shape)
        build(student, reading, ())
        reading = unmasked(student, reading)
        pair = ask_module(student, reading)
        context = some_tensor(pair[0])
        for i in range(shape.B):
            alone = ask_module(student, Reading(reading.projections, *(t[i : i + 1] for t in reading[1:])))
            for part, together, what in zip(alone, pair, PAIR, strict=True):
                if isinstance(together, Tensor):
                    told = f"{what} of an example alone, against itself in the batch,"
                    expect_close(part, together.detach()[i : i + 1], told, tolerance=STRUCTURE)
        order = torch.randperm(shape.n, generator=generator)
        shuffled = ask_module(student, reading._replace(keys=reading.keys[:, order]))[0]
        expect_close(shuffled, context, "the context after the keys were shuffled", tolerance=STRUCTURE)
        odd = Reading(reading.projections, *(non_contiguous(t) for t in reading[1:]))
        expect_close(ask_module(student, odd)[0], context, "the context of inputs in another layout", tolerance=STRUCTURE)


@check(
    "projected_properties",
    cell=CELL,
    points=0.5,
    uses=(CLASS,),
    about="gradients, dtype, arguments left alone, nothing random",
)
def projected_properties(student: Student, generator: torch.Generator) -> None:
    """In train mode, as a module is when it is made."""
    for dtype in DTYPES:
        reading = draw_reading(generator, SHAPES[0], dtype)
        build(student, reading, train=True)
        reading = unmasked(student, reading)
        reply = student.ask("module", *reading[1:])
        # Whether the mask, argument 2, is left alone is asked with the mask.
        expect_pure(replace(reply, changed=tuple(i for i in reply.changed if i != "2")), CLASS)
        first, again = ask_module(student, reading), ask_module(student, reading)
        for part, repeated, what in zip(first, again, PAIR, strict=True):
            if not isinstance(part, Tensor):
                raise CheckFailed(f"{what} came back as no tensor", "a tensor")
            expect_dtype(part, dtype, what)
            expect_repeatable(part, repeated, CLASS)
    reading = draw_reading(generator, SHAPES[0])
    build(student, reading, train=True)
    reading = unmasked(student, reading)
    if some_tensor(ask_module(student, reading)[0]).shape == (SHAPES[0].B, SHAPES[0].d_k):  # else it is paid for elsewhere
        expect_gradients(student, reading, generator)


def expect_gradients(student: Student, reading: Reading, generator: torch.Generator) -> None:
    """From the context to query, keys and both layers; of a right answer, the definition's."""
    query, keys = (t.clone().requires_grad_(True) for t in reading[1:3])
    cotangent = draw(generator, keys.shape[0], keys.shape[2])
    wanted = Gradients([((0,), cotangent)], ["0", "1"])
    found = list(student.ask("module", query, keys, reading.key_is_valid, gradients=wanted).gradients)
    found += [gradient_of_layer(student, layer, cotangent, *reading[1:]) for layer in Projections._fields]
    layers = Projections(*(W.clone().requires_grad_(True) for W in reading.projections))
    everything = torch.ones_like(reading.key_is_valid)
    context = reference.projected_attention(Reading(layers, query, keys, everything))[0]
    expected = torch.autograd.grad((context * cotangent).sum(), [query, keys, *layers])
    right = agrees(ask_module(student, reading)[0], context.detach())
    for gradient, definition, where in zip(found, expected, ("query", "keys", "W_k", "W_q"), strict=True):
        if gradient is None:
            raise CheckFailed(f"no gradient reaches {where}", "a gradient for query, keys and both layers", NO_GRADIENT)
        gradient = expect_tensor(gradient, tuple(definition.shape), f"the gradient of {where}")
        useful = bool(gradient.isfinite().all()) and bool((gradient != 0).any())
        expect(useful, f"no useful gradient reaches {where}", "a finite gradient that is not zero", NO_GRADIENT)
        same = close(gradient, definition, GRADIENT_TOLERANCE)
        expect(same or not right, f"the gradient that reaches {where} is not the definition's", "the gradient of the definition")
