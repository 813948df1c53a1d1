"""Checks of `AttentiveDateModel.decode_step`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader_tests.m5.models import MODEL, SIZES, Sizes, alike, expect_alike, expect_parts, expect_unchanged, give_model
from grader_tests.references.rematch import AttentiveDateModel, State, valid_keys
from grader_tests.vocabulary.inputs import draw
from grading.checks import CheckFailed, check
from grading.expectations import close, expect, expect_close, expect_tensor
from grading.student import Student, StudentFault

CELL = "decode_step"
TOLERANCE = 2e-5  # float32: an attention, a step of an LSTM and a linear layer, sums of a dozen terms each


# Both a step and the student's own attention start here. Right answers draw nothing; layers that are made anew at every call
# are then at least made alike, and cost what they cost where they are made.
STREAM = 6050


class Situation(NamedTuple):
    """What a decoder stands before: previous (B,), memory (B, n, d), bool (B, n), and h, c (B, d) each."""

    previous: Tensor
    memory: Tensor
    key_is_valid: Tensor
    state: State


class Step(NamedTuple):
    """What a step returns, each part of the right shape."""

    logits: Tensor
    weights: Tensor
    h: Tensor
    c: Tensor


class Read(NamedTuple):
    """A context (B, d) and the weights (B, n) it was mixed by."""

    context: Tensor
    weights: Tensor


def draw_situation(generator: torch.Generator, sizes: Sizes, B: int = 5, n: int = 7) -> Situation:
    """A memory as an encoder leaves it: numbers between -1 and 1, zeros behind unequal lengths."""
    lengths = torch.randint(1, n + 1, (B,), generator=generator)
    lengths[0] = n
    valid = valid_keys(lengths, n)
    memory = draw(generator, B, n, sizes.d_hidden, dtype=torch.float32).tanh() * valid[:, :, None]
    h, c = (draw(generator, B, sizes.d_hidden, dtype=torch.float32) for _ in range(2))
    previous = torch.randint(0, sizes.n_target, (B,), generator=generator)
    return Situation(previous, memory, valid, (h.tanh(), c))


def ask_step(student: Student, situation: Situation, sizes: Sizes) -> Step:
    """The student's step."""
    return taken_apart(student.ask("model.decode_step", *situation, seed=STREAM).value, situation, sizes)


def taken_apart(value: Any, situation: Situation, sizes: Sizes) -> Step:
    """The parts of a step."""
    logits, weights, state = expect_parts(value, ("logits", "weights", "the pair (h, c)"))
    h, c = expect_parts(state, ("h", "c"))
    B, n = situation.key_is_valid.shape
    return Step(
        expect_tensor(logits, (B, sizes.n_target), "the logits").detach(),
        expect_tensor(weights, (B, n), "the weights").detach(),
        expect_tensor(h, (B, sizes.d_hidden), "the new h").detach(),
        expect_tensor(c, (B, sizes.d_hidden), "the new c").detach(),
    )


def reads(student: Student, reference: AttentiveDateModel, situation: Situation) -> Iterator[Read]:
    """What is read with the state before the step: by the reference, then by the student's own attention, if that one works."""
    query, memory, valid = situation.state[0], situation.memory, situation.key_is_valid
    yield Read(*(part.detach() for part in reference.attention(query, memory, valid)))
    own = own_read(student, query, memory, valid)
    # An attention that does not look at what it reads would make any step right.
    other = None if own is None else own_read(student, query, memory + 1.0, valid)
    if own is not None and other is not None and not alike(other.context, own.context, 1e-3):
        yield own


def own_read(student: Student, query: Tensor, memory: Tensor, valid: Tensor) -> Read | None:
    """What the student's own attention reads; None where it does not give a context and weights."""
    try:
        value = student.ask("model.attention", query, memory, valid, seed=STREAM).value
    except StudentFault:
        return None
    if not isinstance(value, (tuple, list)) or len(value) != 2 or not all(isinstance(part, Tensor) for part in value):
        return None
    shapes = [tuple(part.shape) for part in value]
    fits = shapes == [(len(query), memory.shape[2]), tuple(valid.shape)] and all(p.dtype == torch.float32 for p in value)
    return Read(value[0].detach(), value[1].detach()) if fits else None


def mistaken_weights(reference: AttentiveDateModel, situation: Situation) -> Mapping[str, Tensor]:
    """Weights (B, n) of known mistakes, by the name a student reads."""
    _, _, (h, c) = reference.decode_step(*situation)
    memory, valid = situation.memory, situation.key_is_valid

    def weights(query: Tensor, mask: Tensor = valid) -> Tensor:
        found: Tensor = reference.attention(query, memory, mask)[1]
        return found

    return {
        "the query is the state after the step; it should be the one before": weights(h),
        "the query is the cell state c; it should be the hidden state h": weights(situation.state[1]),
        "the query is the new cell state; it should be the hidden state before the step": weights(c),
        "padding is not masked: hand `key_is_valid` to the attention": weights(situation.state[0], torch.ones_like(valid)),
    }


@check("step_weights", cell=CELL, points=1, uses=(MODEL,), about="the weights: the query is the hidden state before the step")
def step_weights(student: Student, generator: torch.Generator) -> None:
    """Against the reference's attention, or the student's own."""
    for asked in SIZES:
        reference, sizes = give_model(student, generator, asked)
        situation = draw_situation(generator, sizes)
        weights = ask_step(student, situation, sizes).weights
        found = list(reads(student, reference, situation))
        if not any(alike(weights, read.weights, TOLERANCE) for read in found):
            mistakes = mistaken_weights(reference, situation).items()
            known = next((name for name, wrong in mistakes if close(weights, wrong, TOLERANCE)), "")
            expect_close(weights, found[0].weights, "the weights", tolerance=TOLERANCE, hint=known)


def mistaken_states(reference: AttentiveDateModel, situation: Situation, read: Read) -> Mapping[str, Tensor]:
    """New hidden states (B, d) of known mistakes."""
    embedded = reference.target_embedding(situation.previous)
    swapped = torch.cat([read.context, embedded], dim=1)
    without = torch.cat([embedded, torch.zeros_like(read.context)], dim=1)
    _, _, (h, _) = reference.finish_step(situation.previous, *read, situation.state)
    later = reference.attention(h, situation.memory, situation.key_is_valid)[0]
    queried = torch.cat([embedded, situation.state[0]], dim=1)
    return {
        "the decoder input is [context ; embedding]; it should be [embedding ; context]": reference.decoder(
            swapped, situation.state
        )[0],
        "the context is not in the decoder's input": reference.decoder(without, situation.state)[0],
        "the decoder's input holds the query instead of the context": reference.decoder(queried, situation.state)[0],
        "the context in the decoder's input is that of a later state": reference.decoder(
            torch.cat([embedded, later], dim=1), situation.state
        )[0],
        "the step begins from zeros, not from the state that is handed in": reference.decoder(
            torch.cat([embedded, read.context], dim=1)
        )[0],
    }


@check(
    "step_state",
    cell=CELL,
    points=1,
    uses=(MODEL,),
    about="the new state: one step of the decoder from [embedding ; context]",
)
def step_state(student: Student, generator: torch.Generator) -> None:
    """h and c, from what the reference or the student's own attention reads."""
    for asked in SIZES:
        reference, sizes = give_model(student, generator, asked)
        situation = draw_situation(generator, sizes)
        step = ask_step(student, situation, sizes)
        found = list(reads(student, reference, situation))
        states = [[s.detach() for s in reference.finish_step(situation.previous, *read, situation.state)[2]] for read in found]
        if not any(alike(step.h, h, TOLERANCE) and alike(step.c, c, TOLERANCE) for h, c in states):
            mistakes = mistaken_states(reference, situation, found[0]).items()
            known = next((name for name, wrong in mistakes if close(step.h, wrong, TOLERANCE)), "")
            turned = close(step.h, states[0][1], TOLERANCE) and close(step.c, states[0][0], TOLERANCE)
            hint = "the state is (c, h); it should be (h, c)" if turned else known
            expect_close(step.h, states[0][0], "the new h", tolerance=TOLERANCE, hint=hint)
            expect_close(step.c, states[0][1], "the new c", tolerance=TOLERANCE, hint=hint)


def mistaken_logits(reference: AttentiveDateModel, situation: Situation, read: Read, h: Tensor) -> Mapping[str, Tensor]:
    """Logits (B, n_target) of known mistakes, from a new state h."""
    parts = {
        "the output input is [context ; s_t]; it should be [s_t ; context]": (read.context, h),
        "the context is left out of the output input": (h, torch.zeros_like(h)),
        "the output input holds the state twice; its second half is the context": (h, h),
        "the output is made from the state before the step; it should be the one after": (situation.state[0], read.context),
        "the output input holds the context of the state after the step": (
            h,
            reference.attention(h, situation.memory, situation.key_is_valid)[0],
        ),
    }
    logits = {name: reference.output(torch.cat(part, dim=1)) for name, part in parts.items()}
    right = reference.output(torch.cat([h, read.context], dim=1))
    return logits | {
        "these are probabilities; logits are asked for": right.softmax(1),
        "these are logarithms of probabilities; logits are asked for": right.log_softmax(1),
    }


@check("step_logits", cell=CELL, points=1.5, uses=(MODEL,), about="the logits, from [new state ; context] of your own new state")
def step_logits(student: Student, generator: torch.Generator) -> None:
    """Whether the new state is right is judged elsewhere, as long as it is a new one."""
    for asked in SIZES:
        reference, sizes = give_model(student, generator, asked)
        situation = draw_situation(generator, sizes)
        step = ask_step(student, situation, sizes)
        found = list(reads(student, reference, situation))
        expected = [reference.output(torch.cat([step.h, read.context], dim=1)).detach() for read in found]
        expect(not close(step.h, situation.state[0], 1e-3), "a new state that is the old one", "a step of the decoder")
        if not any(alike(step.logits, right, TOLERANCE) for right in expected):
            mistakes = mistaken_logits(reference, situation, found[0], step.h).items()
            known = next((name for name, wrong in mistakes if close(step.logits, wrong, TOLERANCE)), "")
            expect_close(step.logits, expected[0], "the logits", tolerance=TOLERANCE, hint=known)


@check(
    "step_properties",
    cell=CELL,
    points=0.5,
    uses=(MODEL,),
    about="an example alone as in a batch, arguments left alone, the same step again where it is made again",
)
def step_properties(student: Student, generator: torch.Generator) -> None:
    """Against the student's own step in a batch."""
    _, sizes = give_model(student, generator, SIZES[0])
    situation = draw_situation(generator, sizes)
    reply = student.ask("model.decode_step", *situation, seed=STREAM)
    expect_unchanged(reply, "decode_step")
    together = taken_apart(reply.value, situation, sizes)
    if alike(ask_step(student, draw_situation(generator, sizes), sizes).h, together.h, 1e-3):
        raise CheckFailed("the same step from every state", "a step that depends on its arguments")
    told = "where the same step is made again"
    for name, found, wanted in zip(Step._fields, ask_step(student, situation, sizes), together, strict=True):
        expect_alike(found, wanted, f"the {name} {told}", TOLERANCE)
    if reads_alone(student, situation):
        for i in range(len(situation.previous)):
            expect_alone(ask_step(student, one_of(situation, i), sizes), together, i)


def one_of(situation: Situation, i: int) -> Situation:
    """One example of a batch."""
    previous, memory, valid = (part[i : i + 1] for part in situation[:3])
    h, c = situation.state
    return Situation(previous, memory, valid, (h[i : i + 1], c[i : i + 1]))


def expect_alone(step: Step, together: Step, i: int) -> None:
    """The step of an example alone, as in a batch."""
    for name, found, wanted in zip(Step._fields, step, together, strict=True):
        told = f"the {name} for an example alone, against the same in a batch"
        expect_alike(found, wanted[i : i + 1], told, TOLERANCE)


def reads_alone(student: Student, situation: Situation) -> bool:
    """Whether the student's own attention reads an example alone as in a batch; if not, that has cost points."""
    together = own_read(student, situation.state[0], situation.memory, situation.key_is_valid)
    one = one_of(situation, 1)
    single = own_read(student, one.state[0], one.memory, one.key_is_valid)
    return together is None or single is None or alike(single.context, together.context[1:2], TOLERANCE)
