"""Checks of `AttentiveDateModel.greedy_decode`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader_tests.m5.forcing import TOLERANCE, own_alone, own_steps
from grader_tests.m5.models import (
    MODEL,
    SIZES,
    Sizes,
    alike,
    alone,
    built,
    draw_batch,
    draw_model,
    draw_telling,
    expect_alike,
    expect_parts,
    expect_unchanged,
    give_weights,
)
from grader_tests.m5.steps import STREAM
from grader_tests.references.dates import BOS, EOS, Encoded
from grader_tests.references.rematch import AttentiveDateModel
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect, expect_close, expect_tensor
from grading.student import Student


def draw_case(generator: torch.Generator, sizes: Sizes, B: int) -> tuple[AttentiveDateModel, Encoded]:
    """A model and a batch whose greedy choices tell something."""
    return draw_telling(generator, lambda g: (draw_model(g, sizes), draw_batch(g, B, sizes)))


def ask_tokens(student: Student, batch: Encoded, max_len: int | None) -> tuple[Tensor, Tensor]:
    """The student's tokens and weights, of the right shapes."""
    tokens, weights = ask_any_tokens(student, batch, max_len)
    B, n = batch.source.shape
    steps = 11 if max_len is None else max_len
    right = tuple(tokens.shape) == (B, steps)
    expect(right, f"the tokens as {describe(tokens)}", f"a tensor of integers of shape {(B, steps)}: always max_len steps")
    return tokens, expect_tensor(weights, (B, steps, n), "the weights").detach()


def ask_any_tokens(student: Student, batch: Encoded, max_len: int | None) -> tuple[Tensor, Any]:
    """The student's tokens, of as many steps as they made, and the weights as they came."""
    arguments = (batch.source, batch.lengths) if max_len is None else (batch.source, batch.lengths, max_len)
    tokens, weights = expect_parts(student.ask("model.greedy_decode", *arguments, seed=STREAM).value, ("tokens", "weights"))
    integers = isinstance(tokens, Tensor) and tokens.ndim == 2 and not tokens.dtype.is_floating_point
    expect(integers, f"the tokens as {describe(tokens)}", "a tensor of integers: examples by steps")
    return tokens.long(), weights


def ask_filled_tokens(student: Student, batch: Encoded) -> tuple[Tensor, Tensor]:
    """Tokens (B, 11) and weights (B, 11, n), filled up with PAD and zeros where the student stopped early."""
    tokens, weights = ask_any_tokens(student, batch, None)
    B, n = batch.source.shape
    steps = tokens.shape[1]
    expect(len(tokens) == B and 0 < steps <= 11, f"the tokens as {describe(tokens)}", f"shape {(B, 11)}")
    rows = expect_tensor(weights, (B, steps, n), "the weights").detach()
    missing = 11 - steps
    return torch.cat([tokens, tokens.new_zeros(B, missing)], dim=1), torch.cat([rows, rows.new_zeros(B, missing, n)], dim=1)


def until_end(tokens: Tensor) -> Tensor:
    """(B, T) -> bool (B, T): steps up to the first EOS, which is one of them."""
    return (tokens == EOS).long().cumsum(1) - (tokens == EOS).long() == 0


def expect_tokens(found: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor], hint: str = "") -> None:
    """Tokens and weights that agree up to the first EOS."""
    counted = until_end(right[0])
    wrong = int((found[0][counted] != right[0][counted]).sum())
    expect(not wrong, f"{wrong} of {int(counted.sum())} tokens differ, up to each first EOS", "the best token of each step", hint)
    hint = "row t of the weights is what was read to write token t"
    if not alike(found[1][counted], right[1][counted], TOLERANCE):
        expect_close(found[1][counted], right[1][counted], "the weights up to each first EOS", tolerance=TOLERANCE, hint=hint)


def agrees(found: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]) -> bool:
    """Whether tokens and weights agree up to the first EOS."""
    try:
        expect_tokens(found, right)
    except CheckFailed:
        return False
    return True


@check(
    "greedy_values",
    cell="greedy_decode",
    points=1,
    uses=(MODEL,),
    about="tokens and weights up to each first EOS, each step fed with the best token of the one before",
)
def greedy_values(student: Student, generator: torch.Generator) -> None:
    """As the reference, or as the student's own `encode` and `decode_step`, fed with their own choices."""
    for asked in SIZES:
        sizes = built(student, asked)
        reference, batch = draw_case(generator, sizes, 5)
        give_weights(student, "model", reference)
        found = ask_filled_tokens(student, batch)
        right = reference.greedy_decode(batch.source, batch.lengths, 11)
        if agrees(found, right):
            continue
        own = own_steps(student, batch, None, 11)
        if own is None or not agrees(found, (own[0].argmax(2), own[1])):
            expect_tokens(found, right, mistaken_tokens(reference, batch, found[0]))


def mistaken_tokens(reference: AttentiveDateModel, batch: Encoded, found: Tensor) -> str:
    """The known mistake that gives these tokens, or nothing."""
    fixed = torch.full_like(found, BOS)
    always_bos = reference(batch.source, batch.lengths, fixed).argmax(2)
    return "each step is fed with BOS; it should be fed with the token before" if torch.equal(found, always_bos) else ""


@check(
    "greedy_form",
    cell="greedy_decode",
    points=0.5,
    uses=(MODEL,),
    about="always max_len steps, whatever max_len is; tokens that are integers; arguments left alone",
)
def greedy_form(student: Student, generator: torch.Generator) -> None:
    """Shorter and longer than a date; the beginning is the same for any max_len."""
    sizes = built(student, SIZES[0])
    reference, batch = draw_case(generator, sizes, 2)
    give_weights(student, "model", reference)
    first, weights = ask_tokens(student, batch, None)
    for steps in (1, 4, 14):
        tokens, rows = ask_tokens(student, batch, steps)
        shared = min(steps, 11)
        counted = until_end(first)[:, :shared]
        same = torch.equal(tokens[:, :shared][counted], first[:, :shared][counted])
        expect(same, f"other first tokens with max_len={steps}", "the same beginning for every max_len")
        told = f"the weights with max_len={steps}, against those with 11,"
        expect_alike(rows[:, :shared][counted], weights[:, :shared][counted], told, TOLERANCE)
    expect_unchanged(student.ask("model.greedy_decode", batch.source, batch.lengths), "greedy_decode")
    if force(student, reference, EOS):
        ask_tokens(student, batch, None)  # all end at once, and there are max_len steps all the same


def force(student: Student, reference: AttentiveDateModel, token: int) -> bool:
    """Give the student's model an output bias that decides for one token; whether it has such a bias at all."""
    with torch.no_grad():
        reference.output.bias.zero_()
        reference.output.bias[token] = 1e3
    give_weights(student, "model", reference)
    return "output.bias" in student.ask("model.state_dict").value


@check(
    "greedy_alone",
    cell="greedy_decode",
    points=0.5,
    uses=(MODEL,),
    about="an example alone decoded as in a batch; every token can be chosen, PAD and BOS too",
)
def greedy_alone(student: Student, generator: torch.Generator) -> None:
    """Against the student's own tokens in a batch, and against the output layer's biases."""
    sizes = built(student, SIZES[1])
    reference, batch = draw_case(generator, sizes, 3)
    give_weights(student, "model", reference)
    together, _ = ask_filled_tokens(student, batch)
    for i in range(3):
        single, _ = ask_filled_tokens(student, alone(batch, i))
        counted = until_end(together[i : i + 1])
        same = torch.equal(single[counted], together[i : i + 1][counted]) or not own_alone(student, batch, i, None, 11)
        expect(same, "an example alone is decoded differently than in a batch", "the same tokens")
    for token in (0, 1, 5):
        if force(student, reference, token):
            tokens, _ = ask_tokens(student, batch, None)
            told = {0: "PAD", 1: "BOS"}.get(token, "a character")
            expect(bool((tokens == token).all()), f"{told} is not chosen where it scores best", "the best token, whatever it is")
