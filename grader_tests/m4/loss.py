"""Checks of `masked_cross_entropy`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader_tests.m4.batches import draw_logits, draw_targets
from grader_tests.references import masking as reference
from grader_tests.vocabulary.inputs import DTYPES, non_contiguous
from grader_tests.vocabulary.refusals import expect_accepted, expect_refusal
from grader_tests.vocabulary.rules import ask_in_any_layout, expect_pure
from grading.checks import CheckFailed, check
from grading.expectations import TOLERANCE, close, expect, expect_close, expect_dtype, expect_tensor
from grading.student import Gradients, Student

FUNCTION = "masked_cross_entropy"
GUARD = 1e-9  # the largest that is right inside a logarithm
LENGTHS = torch.tensor([6, 1, 4, 2])


def expect_loss(value: Any, logits: Tensor, targets: Tensor, pad_id: int, what: str) -> Tensor:
    """The mean loss, or what it is where log(p + GUARD) was taken for log(p), or anything between."""
    expected = reference.masked_cross_entropy(logits, targets, pad_id)
    losses = reference.token_losses(logits, targets)[targets != pad_id]
    guarded = float(-((-losses).exp() + GUARD).log().mean())
    found = expect_tensor(value, (), what)
    limit = TOLERANCE[logits.dtype] * 2 * abs(float(expected))
    if guarded - limit <= float(found) <= float(expected) + limit:
        return found
    mistakes = reference.mistaken_cross_entropies(logits, targets, pad_id)
    # What a guard moves a mistaken value by: at most GUARD over the smallest probability, 1e-3 or more here.
    known = next((name for name, wrong in mistakes.items() if close(found, wrong, max(TOLERANCE[logits.dtype], 1e-6))), "")
    expect_close(found, expected.to(logits.dtype), what, hint=known)
    raise CheckFailed(f"{what} is outside of what rounding allows", "agreement with the definition")


@check(
    "masked_cross_entropy_values",
    cell=FUNCTION,
    points=1,
    uses=(FUNCTION,),
    about="the mean loss over positions that are not padding",
)
def masked_cross_entropy_values(student: Student, generator: torch.Generator) -> None:
    """Ragged rows, padding that is any of the classes, both dtypes; a ragged row alone."""
    for pad_id in (0, 8, int(torch.randint(1, 8, (1,), generator=generator))):
        for dtype in DTYPES:
            logits = draw_logits(generator, 4, 6, 9, dtype)
            order = torch.randperm(4, generator=generator)
            targets = draw_targets(generator, LENGTHS[order], 6, 9, pad_id)
            expect_loss(student.masked_cross_entropy(logits, targets, pad_id), logits, targets, pad_id, "the loss")
    logits, targets = draw_logits(generator, 5, 5, 5), draw_targets(generator, torch.tensor([5, 2, 1, 3, 4]), 5, 5, 2)
    expect_loss(student.masked_cross_entropy(logits, targets, 2), logits, targets, 2, "the loss of a batch with equal sizes")
    alone = logits[1:2], targets[1:2]
    expect_loss(student.masked_cross_entropy(*alone, 2), *alone, 2, "the loss of a batch of one, with padding")


@check(
    "masked_cross_entropy_properties",
    cell=FUNCTION,
    points=0.5,
    uses=(FUNCTION,),
    about="large logits, rows of nothing but padding, gradients, dtype, arguments left alone",
)
def masked_cross_entropy_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values."""
    logits, targets = draw_logits(generator, 4, 6, 9), draw_targets(generator, LENGTHS, 6, 9, 3)
    expect_pure(student.ask(FUNCTION, logits, targets, 3), FUNCTION)
    gradient = loss_gradient(student, logits, targets)
    for dtype in DTYPES:
        given = logits.to(dtype)
        found = expect_loss(student.masked_cross_entropy(given, targets, 3), given, targets, 3, "the loss")
        expect_dtype(found, dtype, "the loss")
    empty_row = targets.clone()
    empty_row[2] = 3
    shuffled = targets[:, torch.randperm(6, generator=generator)]
    # No row is full and all end with real positions: who cuts the batch to its longest row loses some of them.
    early = draw_targets(generator, LENGTHS, 8, 9, 3).flip(1)
    odd = non_contiguous(logits)
    for given, aims, what in (
        (logits, empty_row, "the loss where a row is nothing but padding"),
        (logits, shuffled, "the loss with padding between real positions"),
        (draw_logits(generator, 4, 8, 9), early, "the loss with padding before real positions"),
        (odd, targets, "the loss of non-contiguous logits"),
        (logits + 1e4, targets, "the loss of logits near 1e4"),
        (logits * 1e3, targets, "the loss of logits that are far apart"),
        (logits[:1, :1], targets[:1, :1], "the loss of a single position"),
    ):
        expect_loss(ask_in_any_layout(student, FUNCTION, given, aims, 3).value, given, aims, 3, what)
    expect_loss_gradient(gradient, logits, targets)


def loss_gradient(student: Student, logits: Tensor, targets: Tensor) -> Tensor:
    """The gradient for the logits that the student's loss has; a loss that is a plain number has none."""
    given = logits.clone().requires_grad_(True)
    wanted = Gradients([((), torch.tensor(1.0, dtype=torch.float64))], ["0"])
    (found,) = student.ask(FUNCTION, given, targets, 3, gradients=wanted).gradients
    expect(
        isinstance(found, Tensor),
        "no gradient reaches the logits",
        "a loss that can be trained on",
        "return a tensor: item(), float() and numpy cut the way back",
    )
    return expect_tensor(found, tuple(logits.shape), "the gradient of the loss for the logits")


def expect_loss_gradient(found: Tensor, logits: Tensor, targets: Tensor) -> None:
    """None for padding, the definition's for the rest."""
    given = logits.clone().requires_grad_(True)
    (expected,) = torch.autograd.grad(reference.masked_cross_entropy(given, targets, 3), [given])
    # A guard of 1e-9 inside the logarithm moves gradients by 1e-9 over a probability, of which 1e-4 is about the smallest here.
    expect_close(found, expected, "the gradient of the loss for the logits", tolerance=1e-4)
    padding = found[targets == 3]
    expect(bool((padding == 0).all()), "logits of padded positions have a gradient", "exactly none: these are not graded")


@check(
    "masked_cross_entropy_error",
    cell=FUNCTION,
    points=0.5,
    uses=(FUNCTION,),
    about="a ValueError where no position is real",
)
def masked_cross_entropy_error(student: Student, generator: torch.Generator) -> None:
    """Batches of padding alone; one real position is enough for a loss."""
    logits, pad_id = draw_logits(generator, 2, 3, 5), int(torch.randint(1, 5, (1,), generator=generator))
    nothing = torch.full((2, 3), pad_id)
    one = nothing.clone()
    one[1, 0] = (pad_id + 1) % 5
    expect_accepted(student, FUNCTION, (logits, one, pad_id), "a batch with one real position")
    expect_refusal(student, FUNCTION, (logits, nothing, pad_id), "a batch of nothing but padding")
    expect_refusal(student, FUNCTION, (logits[:1, :1], nothing[:1, :1], pad_id), "a single padded position")
