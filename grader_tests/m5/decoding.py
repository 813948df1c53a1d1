"""Checks of `AttentiveDateModel.forward` and `.greedy_decode`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader_tests.m5.models import MODEL, SIZES, Sizes, alone, draw_batch, draw_decided, draw_model, expect_parts, give_weights
from grader_tests.references.dates import BOS, EOS, Encoded
from grader_tests.references.rematch import AttentiveDateModel
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import CheckFailed, check
from grading.expectations import close, describe, expect, expect_close, expect_tensor
from grading.student import Student, StudentFault

TOLERANCE = 5e-5  # float32: up to a dozen steps, each with the errors of the one before


def give(student: Student, reference: AttentiveDateModel, sizes: Sizes) -> None:
    """Build the student's model with the reference's weights, kept as `model`."""
    student.ask(MODEL, *sizes, keep="model")
    give_weights(student, "model", reference)


def ask_logits(student: Student, batch: Encoded, sizes: Sizes) -> Tensor:
    """The student's logits under teacher forcing."""
    value = student.ask("model.forward", batch.source, batch.lengths, batch.target_in).value
    return expect_tensor(value, (*batch.target_in.shape, sizes.n_target), "the logits").detach()


def own_steps(student: Student, batch: Encoded, chosen: Tensor | None, steps: int) -> tuple[Tensor, Tensor] | None:
    """Logits (B, T, n_target) and weights (B, T, n) of the student's own `encode` and `decode_step`, step by step.

    Fed with the columns of `chosen`, or with its own choices. None where these methods do not give what they should, or give
    the same for other sources.
    """
    try:
        memory, valid, state = student.ask("model.encode", batch.source, batch.lengths).value
        previous, logits, weights = torch.full_like(batch.lengths, BOS), [], []
        for step in range(steps):
            previous = previous if chosen is None else chosen[:, step]
            one, row, state = student.ask("model.decode_step", previous, memory, valid, state).value
            previous = one.detach().argmax(dim=1)
            logits.append(one.detach())
            weights.append(row.detach())
        found = torch.stack(logits, dim=1), torch.stack(weights, dim=1)
    except (StudentFault, TypeError, ValueError, AttributeError, RuntimeError, IndexError):
        return None
    spread = float((found[0] - found[0][:1]).abs().max())
    return found if bool(found[0].isfinite().all()) and (len(batch.lengths) == 1 or spread > 1e-3) else None


def mistaken_logits(reference: AttentiveDateModel, batch: Encoded) -> Mapping[str, Tensor]:
    """Logits of known mistakes, by the name a student reads."""
    tokens, _ = reference.greedy_decode(batch.source, batch.lengths, batch.target_in.shape[1])
    own = torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], dim=1)
    late = torch.cat([torch.full_like(tokens[:, :1], BOS), batch.target_in[:, :-1]], dim=1)
    right = reference(batch.source, batch.lengths, batch.target_in)
    return {
        "each step is fed with the model's own choice; under teacher forcing it is fed with target_in": reference(
            batch.source, batch.lengths, own
        ),
        "target_in is shifted once more; it begins with BOS already": reference(batch.source, batch.lengths, late),
        "the state is not handed on from step to step": stateless(reference, batch),
        "these are logarithms of probabilities; logits are asked for": right.log_softmax(2),
        "these are probabilities; logits are asked for": right.softmax(2),
    }


def stateless(reference: AttentiveDateModel, batch: Encoded) -> Tensor:
    """Every step from the encoder's final state."""
    memory, valid, state = reference.encode(batch.source, batch.lengths)
    return torch.stack([reference.decode_step(p, memory, valid, state)[0] for p in batch.target_in.unbind(1)], dim=1)


@check("forward_values", cell="forward", points=1, uses=(MODEL,), about="the logits under teacher forcing, step by step")
def forward_values(student: Student, generator: torch.Generator) -> None:
    """As the reference, or as the student's own `encode` and `decode_step` one after the other."""
    for sizes in SIZES:
        reference = draw_model(generator, sizes)
        give(student, reference, sizes)
        batch = draw_batch(generator, 4, sizes)
        batch = batch._replace(target_in=batch.target_in[:, :6])
        logits = ask_logits(student, batch, sizes)
        expected = reference(batch.source, batch.lengths, batch.target_in).detach()
        if close(logits, expected, TOLERANCE):
            continue
        own = own_steps(student, batch, batch.target_in, 6)
        if own is None or not close(logits, own[0], TOLERANCE):
            mistakes = mistaken_logits(reference, batch).items()
            known = next((name for name, wrong in mistakes if close(logits, wrong, TOLERANCE)), "")
            expect_close(logits, expected, "the logits", tolerance=TOLERANCE, hint=known)


@check(
    "forward_forced",
    cell="forward",
    points=0.5,
    uses=(MODEL,),
    about="a changed target character changes what follows and nothing before; targets of other lengths; an example alone",
)
def forward_forced(student: Student, generator: torch.Generator) -> None:
    """Against the student's own logits."""
    sizes = SIZES[0]
    give(student, draw_model(generator, sizes), sizes)
    batch = draw_batch(generator, 4, sizes)
    logits = ask_logits(student, batch, sizes)
    changed = batch.target_in.clone()
    changed[:, 4] = (changed[:, 4] - 2) % (sizes.n_target - 3) + 3
    again = ask_logits(student, batch._replace(target_in=changed), sizes)
    expect_close(again[:, :4], logits[:, :4], "the logits before a changed target character", tolerance=TOLERANCE)
    expect(not close(again[:, 4], logits[:, 4], 1e-4), "a changed target character changed nothing", "other logits at its step")
    for T in (1, 3):
        short = ask_logits(student, batch._replace(target_in=batch.target_in[:, :T]), sizes)
        expect_close(short, logits[:, :T], f"the logits of targets of length {T}", tolerance=TOLERANCE)
    if own_rows(student, batch, sizes):
        single = ask_logits(student, alone(batch, 1), sizes)
        told = "the logits of an example alone, without its padding, against the same in a batch"
        expect_close(single, logits[1:2], told, tolerance=TOLERANCE)


def own_rows(student: Student, batch: Encoded, sizes: Sizes) -> bool:
    """Whether the student's own `encode` and `decode_step` treat an example alone as in a batch; if not, it has cost them."""
    together, single = (own_steps(student, part, part.target_in, 3) for part in (batch, alone(batch, 1)))
    return together is None or single is None or close(single[0], together[0][1:2], TOLERANCE)


@check(
    "forward_learns",
    cell="forward",
    points=0.5,
    uses=(MODEL,),
    about="gradients of the logits for every parameter, arguments left alone",
)
def forward_learns(student: Student, generator: torch.Generator) -> None:
    """The reference's gradients where the logits are the reference's; else every module need only be reached."""
    sizes = SIZES[0]
    reference = draw_model(generator, sizes)
    give(student, reference, sizes)
    batch = draw_batch(generator, 4, sizes)
    reply = student.ask("model.forward", batch.source, batch.lengths, batch.target_in, keep="logits")
    expect_pure(reply, "forward")
    logits = expect_tensor(reply.value, (4, 11, sizes.n_target), "the logits")
    leads_back = student.read("logits.requires_grad") is True
    expect(leads_back, "logits without a way back to the parameters", "logits that can be trained on")
    cotangent = torch.randn(logits.shape, generator=generator)
    student.ask("logits.backward", cotangent)
    expected = reference(batch.source, batch.lengths, batch.target_in)
    expected.backward(cotangent)
    right = close(logits.detach(), expected.detach(), TOLERANCE)
    for name, parameter in reference.named_parameters():
        expect_gradient(student.read(f"model.{name}.grad"), parameter.grad, name, right)


def expect_gradient(found: Any, expected: Tensor | None, name: str, compare: bool) -> None:
    """A gradient that arrives; where it can be compared, the reference's."""
    hint = "is there a detach(), a no_grad() or an argmax on the way?"
    if not isinstance(found, Tensor) or not bool(found.isfinite().all()):
        raise CheckFailed(f"no gradient reaches {name}", "a gradient for every parameter", hint)
    if compare and expected is not None:
        # Sums over 4 examples and 11 steps, in whatever order; entries are compared on the scale of the largest.
        expect_close(found, expected, f"the gradient of {name}", tolerance=5e-4, hint=hint)


def draw_case(generator: torch.Generator, sizes: Sizes, B: int, max_len: int) -> tuple[Any, Encoded]:
    """A model and a batch whose greedy choices are no ties."""
    return draw_decided(generator, lambda g: (draw_model(g, sizes), draw_batch(g, B, sizes)), max_len)


def ask_tokens(student: Student, batch: Encoded, max_len: int | None) -> tuple[Tensor, Tensor]:
    """The student's tokens and weights, of the right shapes."""
    arguments = (batch.source, batch.lengths) if max_len is None else (batch.source, batch.lengths, max_len)
    tokens, weights = expect_parts(student.ask("model.greedy_decode", *arguments).value, ("tokens", "weights"))
    B, n = batch.source.shape
    steps = 11 if max_len is None else max_len
    shaped = isinstance(tokens, Tensor) and tuple(tokens.shape) == (B, steps) and not tokens.dtype.is_floating_point
    expect(shaped, f"the tokens as {describe(tokens)}", f"a tensor of integers of shape {(B, steps)}: always max_len steps")
    return tokens.long(), expect_tensor(weights, (B, steps, n), "the weights").detach()


def until_end(tokens: Tensor) -> Tensor:
    """(B, T) -> bool (B, T): steps up to the first EOS, which is one of them."""
    return (tokens == EOS).long().cumsum(1) - (tokens == EOS).long() == 0


def expect_tokens(found: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor], hint: str = "") -> None:
    """Tokens and weights that agree up to the first EOS."""
    counted = until_end(right[0])
    wrong = int((found[0][counted] != right[0][counted]).sum())
    expect(not wrong, f"{wrong} of {int(counted.sum())} tokens differ, up to each first EOS", "the best token of each step", hint)
    hint = "row t of the weights is what was read to write token t"
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
    for sizes in SIZES:
        reference, batch = draw_case(generator, sizes, 5, 11)
        give(student, reference, sizes)
        found = ask_tokens(student, batch, None)
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
    sizes = SIZES[0]
    reference, batch = draw_case(generator, sizes, 4, 11)
    give(student, reference, sizes)
    first, weights = ask_tokens(student, batch, None)
    for steps in (1, 4, 14):
        tokens, rows = ask_tokens(student, batch, steps)
        shared = min(steps, 11)
        counted = until_end(first)[:, :shared]
        same = torch.equal(tokens[:, :shared][counted], first[:, :shared][counted])
        expect(same, f"other first tokens with max_len={steps}", "the same beginning for every max_len")
        told = f"the weights with max_len={steps}, against those with 11,"
        expect_close(rows[:, :shared][counted], weights[:, :shared][counted], told, tolerance=TOLERANCE)
    reply = student.ask("model.greedy_decode", batch.source, batch.lengths)
    expect_pure(reply, "greedy_decode")


@check(
    "greedy_alone",
    cell="greedy_decode",
    points=0.5,
    uses=(MODEL,),
    about="an example alone decoded as in a batch; every token can be chosen, PAD and BOS too",
)
def greedy_alone(student: Student, generator: torch.Generator) -> None:
    """Against the student's own tokens in a batch, and against the output layer's biases."""
    sizes = SIZES[1]
    reference, batch = draw_case(generator, sizes, 4, 11)
    give(student, reference, sizes)
    together, _ = ask_tokens(student, batch, None)
    if own_rows(student, batch, sizes):
        for i in range(4):
            single, _ = ask_tokens(student, alone(batch, i), None)
            counted = until_end(together[i : i + 1])
            same = torch.equal(single[counted], together[i : i + 1][counted])
            expect(same, "an example alone is decoded differently than in a batch", "the same tokens")
    for token in (0, 1, 5):
        with torch.no_grad():
            reference.output.bias.zero_()
            reference.output.bias[token] = 1e3
        give_weights(student, "model", reference)
        tokens, _ = ask_tokens(student, batch, None)
        told = {0: "PAD", 1: "BOS"}.get(token, "a character")
        expect(bool((tokens == token).all()), f"{told} is not chosen where it scores best", "the best token, whatever it is")
