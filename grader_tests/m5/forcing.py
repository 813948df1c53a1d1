"""Checks of `AttentiveDateModel.forward`: teacher forcing, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader_tests.m5.models import (
    MODEL,
    SIZES,
    Sizes,
    alike,
    alone,
    draw_batch,
    expect_alike,
    expect_unchanged,
    give_model,
)
from grader_tests.m5.steps import STREAM
from grader_tests.references.dates import BOS, Encoded
from grader_tests.references.rematch import AttentiveDateModel
from grading.checks import check
from grading.expectations import close, expect, expect_close, expect_tensor
from grading.student import GOING_ON, Gradients, Student, StudentFault

TOLERANCE = 5e-5  # float32: up to a dozen steps, each with the errors of the one before


def ask_logits(student: Student, batch: Encoded, sizes: Sizes) -> Tensor:
    """The student's logits under teacher forcing."""
    value = student.ask("model.forward", batch.source, batch.lengths, batch.target_in, seed=STREAM).value
    return expect_tensor(value, (*batch.target_in.shape, sizes.n_target), "the logits").detach()


def own_steps(student: Student, batch: Encoded, chosen: Tensor | None, steps: int) -> tuple[Tensor, Tensor] | None:
    """Logits (B, T, n_target) and weights (B, T, n) of the student's own `encode` and `decode_step`, step by step.

    Fed with the columns of `chosen`, or with its own choices. None where these methods do not give what they should, or give
    the same for other sources.
    """
    try:
        memory, valid, state = student.ask("model.encode", batch.source, batch.lengths, seed=STREAM).value
        previous, logits, weights = torch.full_like(batch.lengths, BOS), [], []
        for step in range(steps):
            previous = previous if chosen is None else chosen[:, step]
            one, row, state = student.ask("model.decode_step", previous, memory, valid, state, seed=GOING_ON).value
            previous = one.detach().argmax(dim=1)
            logits.append(one.detach())
            weights.append(row.detach())
        found = torch.stack(logits, dim=1), torch.stack(weights, dim=1)
    except (StudentFault, TypeError, ValueError, AttributeError, RuntimeError, IndexError):
        return None
    spread = float((found[0] - found[0][:1]).nan_to_num().abs().max())
    return found if len(batch.lengths) == 1 or spread > 1e-3 else None


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
    for asked in SIZES:
        reference, sizes = give_model(student, generator, asked)
        batch = draw_batch(generator, 4, sizes)
        batch = batch._replace(target_in=batch.target_in[:, :6])
        logits = ask_logits(student, batch, sizes)
        expected = reference(batch.source, batch.lengths, batch.target_in).detach()
        if close(logits, expected, TOLERANCE):
            continue
        own = own_steps(student, batch, batch.target_in, 6)
        if own is None or not alike(logits, own[0], TOLERANCE):
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
    _, sizes = give_model(student, generator, SIZES[0])
    batch = draw_batch(generator, 4, sizes)
    logits = ask_logits(student, batch, sizes)
    changed = batch.target_in.clone()
    changed[:, 4] = (changed[:, 4] - 2) % (sizes.n_target - 3) + 3
    again = ask_logits(student, batch._replace(target_in=changed), sizes)
    expect_alike(again[:, :4], logits[:, :4], "the logits before a changed target character", TOLERANCE)
    moved = not alike(again[:, 4:], logits[:, 4:], 1e-4)
    expect(moved, "a changed target character changed nothing", "other logits from its step on")
    for T in (1, 3):
        short = ask_logits(student, batch._replace(target_in=batch.target_in[:, :T]), sizes)
        expect_alike(short, logits[:, :T], f"the logits of targets of length {T}", TOLERANCE)
    single = ask_logits(student, alone(batch, 1), sizes)
    if not alike(single, logits[1:2], TOLERANCE) and own_alone(student, batch, 1, batch.target_in, 11):
        told = "the logits of an example alone, without its padding, against the same in a batch"
        expect_alike(single, logits[1:2], told, TOLERANCE)


def own_alone(student: Student, batch: Encoded, i: int, chosen: Tensor | None, steps: int) -> bool:
    """Whether the student's own `encode` and `decode_step` treat an example alone as in a batch; if not, that has cost points."""
    together = own_steps(student, batch, chosen, steps)
    single = own_steps(student, alone(batch, i), None if chosen is None else chosen[i : i + 1], steps)
    return together is None or single is None or alike(single[0], together[0][i : i + 1], TOLERANCE)


@check(
    "forward_learns",
    cell="forward",
    points=0.5,
    uses=(MODEL,),
    about="gradients of the logits for every parameter, arguments left alone",
)
def forward_learns(student: Student, generator: torch.Generator) -> None:
    """The reference's gradients, where logits and the own attention's gradients are; else what lies around it is reached."""
    reference, sizes = give_model(student, generator, SIZES[0])
    batch = draw_batch(generator, 4, sizes)
    arguments = (batch.source, batch.lengths, batch.target_in)
    reply = student.ask("model.forward", *arguments, keep="logits", seed=STREAM)
    expect_unchanged(reply, "forward")
    logits = expect_tensor(reply.value, (4, 11, sizes.n_target), "the logits")
    leads_back = student.read("logits.requires_grad") is True
    expect(leads_back, "logits without a way back to the parameters", "logits that can be trained on")
    cotangent = torch.randn(logits.shape, generator=generator)
    student.ask("logits.backward", cotangent)
    expected = reference(*arguments)
    expected.backward(cotangent)
    right = close(logits.detach(), expected.detach(), TOLERANCE) and attention_learns(student, reference, generator)
    own = student.ask("model.state_dict").value
    for name, parameter in reference.named_parameters():
        if name in own and (right or not name.startswith("attention.")):
            expect_gradient(student.read(f"model.{name}.grad"), parameter.grad if right else None, name)


def attention_learns(student: Student, reference: AttentiveDateModel, generator: torch.Generator) -> bool:
    """Whether gradients pass through the student's own attention as they should; if not, that has cost points."""
    shapes = ((2,), (2, 3), (2,))
    d_hidden = reference.encoder.hidden_size
    query, memory, cotangent = (torch.randn(*shape, d_hidden, generator=generator) for shape in shapes)
    given, valid = [part.requires_grad_(True) for part in (query, memory)], torch.ones(2, 3, dtype=torch.bool)
    wanted = Gradients([((0,), cotangent)], ["0", "1"])
    try:
        found = student.ask("model.attention", *given, valid, gradients=wanted).gradients
    except StudentFault:
        return True  # the model may do without: then its own gradients are what is judged
    right = torch.autograd.grad((reference.attention(*given, valid)[0] * cotangent).sum(), given)
    return all(isinstance(part, Tensor) and close(part, wanted, 1e-4) for part, wanted in zip(found, right, strict=True))


def expect_gradient(found: Any, expected: Tensor | None, name: str) -> None:
    """A gradient that arrives; where it can be compared, the reference's."""
    hint = "is there a detach(), a no_grad() or an argmax on the way?"
    expect(isinstance(found, Tensor), f"no gradient reaches {name}", "a gradient for every parameter", hint)
    if expected is not None:
        # Sums over 4 examples and 11 steps, in whatever order; entries are compared on the scale of the largest.
        expect_close(found, expected, f"the gradient of {name}", tolerance=5e-4, hint=hint)
