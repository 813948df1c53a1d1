"""Checks of `AttentiveDateModel.encode`."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader_tests.m5.models import MODEL, SIZES, alone, draw_batch, expect_parts, give_model
from grader_tests.references.dates import Encoded
from grader_tests.references.rematch import AttentiveDateModel, valid_keys
from grader_tests.vocabulary.masks import expect_bool, expect_mask
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import CheckFailed, check
from grading.expectations import close, expect, expect_close, expect_tensor
from grading.student import Reply, Student

CELL = "encode"
TOLERANCE = 2e-5  # float32: seven steps of an LSTM, whose sums have a dozen terms each


class Encoding(NamedTuple):
    """What `encode` returns, taken apart, each part of the right shape."""

    memory: Tensor
    key_is_valid: Any
    h: Any
    c: Any


def taken_apart(reply: Reply, batch: Encoded, d_hidden: int) -> Encoding:
    """The four parts; their shapes are looked at where they are used."""
    memory, key_is_valid, state = expect_parts(reply.value, ("memory", "key_is_valid", "the pair (h, c)"))
    h, c = expect_parts(state, ("h", "c"))
    B, width = batch.source.shape
    cut = isinstance(memory, Tensor) and memory.ndim == 3 and memory.shape[1] < width
    hint = "pad_packed_sequence has an argument total_length" if cut else ""
    shape = tuple(memory.shape) if isinstance(memory, Tensor) else None
    expect(shape == (B, width, d_hidden), f"a memory of shape {shape}", f"shape {(B, width, d_hidden)}", hint)
    return Encoding(memory, key_is_valid, h, c)


def ask_encoding(student: Student, batch: Encoded, d_hidden: int) -> Encoding:
    """The student's encoding of a batch."""
    return taken_apart(student.ask("model.encode", batch.source, batch.lengths), batch, d_hidden)


def runs_on(reference: AttentiveDateModel, batch: Encoded) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Memory and states of an LSTM that knows no lengths: what comes of packing forgotten."""
    memory, (h, c) = reference.encoder(reference.source_embedding(batch.source))
    return memory.detach(), (h[0].detach(), c[0].detach())


def real(memory: Tensor, lengths: Tensor) -> Tensor:
    """The rows of a memory that belong to characters, one after the other."""
    return memory[valid_keys(lengths, memory.shape[1])]


@check("encode_memory", cell=CELL, points=0.5, uses=(MODEL,), about="the memory of real characters, for unsorted lengths")
def encode_memory(student: Student, generator: torch.Generator) -> None:
    """Both sizes; what lies in padded slots is judged elsewhere."""
    for asked in SIZES:
        reference, sizes = give_model(student, generator, asked)
        batch = draw_batch(generator, 6, sizes)
        memory = expect_tensor(ask_encoding(student, batch, sizes.d_hidden).memory, (6, 7, sizes.d_hidden), "the memory")
        expected = reference.encode(batch.source, batch.lengths)[0].detach()
        told = "the memory of real characters"
        hint = "is the batch the first axis of the LSTM's input, and are rows back in the order of the batch?"
        expect_close(real(memory, batch.lengths), real(expected, batch.lengths), told, tolerance=TOLERANCE, hint=hint)


@check("encode_states", cell=CELL, points=0.5, uses=(MODEL,), about="h and c after each source's last real character")
def encode_states(student: Student, generator: torch.Generator) -> None:
    """Unequal lengths, one of them 1."""
    for asked in SIZES:
        reference, sizes = give_model(student, generator, asked)
        batch = draw_batch(generator, 6, sizes)
        encoding = ask_encoding(student, batch, sizes.d_hidden)
        _, _, expected = reference.encode(batch.source, batch.lengths)
        padded = runs_on(reference, batch)[1]
        for name, found, right, wrong in zip("hc", encoding[2:], expected, padded, strict=True):
            state = expect_tensor(found, (6, sizes.d_hidden), name)
            ran_on = close(state, wrong, TOLERANCE)
            hint = "the LSTM ran on over the pads: pack the sequences, or take each state at its own length" if ran_on else ""
            expect_close(state, right.detach(), f"the state {name}", tolerance=TOLERANCE, hint=hint)


@check(
    "encode_padding",
    cell=CELL,
    points=0.5,
    uses=(MODEL,),
    about="zeros in padded slots, the mask, and a memory as wide as the source, also where no source is so long",
)
def encode_padding(student: Student, generator: torch.Generator) -> None:
    """A source with columns of nothing but pads too."""
    _, sizes = give_model(student, generator, SIZES[0])
    batch = draw_batch(generator, 5, sizes)
    wider = batch._replace(source=torch.cat([batch.source, torch.zeros(5, 3, dtype=torch.int64)], dim=1))
    for one in (batch, wider):
        valid = valid_keys(one.lengths, one.source.shape[1])
        encoding = ask_encoding(student, one, sizes.d_hidden)
        inverted = {"it is inverted: True marks real characters": ~valid}
        expect_mask(encoding.key_is_valid, valid, "key_is_valid", inverted)
        expect_bool(encoding.key_is_valid, "key_is_valid")
        beyond = expect_tensor(encoding.memory, tuple(encoding.memory.shape), "the memory")[~valid]
        expect(bool((beyond == 0).all()), "numbers in padded slots of the memory", "zeros there")


@check(
    "encode_properties",
    cell=CELL,
    points=0.5,
    uses=(MODEL,),
    about="an example alone as in a batch, arguments left alone, the same at every call",
)
def encode_properties(student: Student, generator: torch.Generator) -> None:
    """Only the memory of real characters is compared, against the student's own."""
    _, sizes = give_model(student, generator, SIZES[1])
    batch = draw_batch(generator, 5, sizes)
    reply = student.ask("model.encode", batch.source, batch.lengths)
    expect_pure(reply, "encode")
    memory = expect_tensor(taken_apart(reply, batch, sizes.d_hidden).memory, (5, 7, sizes.d_hidden), "the memory").detach()
    if not bool((memory.diff(dim=0) != 0).any()):
        raise CheckFailed("the same memory for every source", "a memory that depends on the source")
    for i in range(5):
        one = alone(batch, i)
        found = ask_encoding(student, one, sizes.d_hidden).memory
        wanted = memory[i : i + 1, : int(one.lengths)]
        told = "the memory of an example alone, without its padding, against the same in a batch"
        expect_close(found, wanted, told, tolerance=TOLERANCE)
