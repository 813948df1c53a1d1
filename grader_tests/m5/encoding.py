"""Checks of `is_unambiguous` and `encode_batch`."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from grader_tests.m5.models import expect_parts
from grader_tests.references import dates
from grader_tests.vocabulary.claims import truth_value
from grader_tests.vocabulary.refusals import expect_refusal
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect
from grading.student import Student

PARTS = ("source", "lengths", "target_in", "target_out")


def draw_number(generator: torch.Generator, low: int, high: int) -> int:
    """A whole number, both ends included."""
    return int(torch.randint(low, high + 1, (1,), generator=generator))


def draw_pairs(generator: torch.Generator, count: int) -> list[dates.Pair]:
    """Pairs as the benchmark draws them, in an order of their own."""
    rng = random.Random(draw_number(generator, 0, 2**31))
    return [dates.draw_pair(rng) for _ in range(count)]


def expect_judged(student: Student, sources: Iterable[str], what: str) -> None:
    """The rule's verdict for every source."""
    for source in sources:
        found = truth_value(student.is_unambiguous(source))
        expect(found is not None, "a result that is neither True nor False", "True or False")
        right = dates.is_unambiguous(source)
        expect(found is right, f"`{source}`, {what}, came out as {found}", f"{right}")


@check(
    "is_unambiguous_values",
    cell="is_unambiguous",
    points=0.5,
    uses=("is_unambiguous",),
    about="dates with a month's name, and numeric ones with a field over 12",
)
def is_unambiguous_values(student: Student, generator: torch.Generator) -> None:
    """All twelve names in both styles; numeric dates that are clear, and such that are not."""
    for month in dates.MONTH_DAYS:
        day, year = draw_number(generator, 1, 28), draw_number(generator, 1950, 2025)
        expect_judged(student, (f"{month} {day}, {year}", f"{day} {month} {year}"), "a date with a month's name")
    for _ in range(6):
        over, under, year = draw_number(generator, 14, 31), draw_number(generator, 1, 11), draw_number(generator, 1950, 2025)
        low, high = f"{draw_number(generator, 1, 5):02d}", f"{draw_number(generator, 6, 11):02d}"
        clear = (f"{over}/{under:02d}/{year}", f"{under:02d}/{over}/{year}")
        expect_judged(student, clear, "a numeric date with a field over 12")
        expect_judged(student, (f"{low}/{high}/{year}", f"{high}/{low}/{year}"), "a numeric date that can be read in two ways")


@check(
    "is_unambiguous_edges",
    cell="is_unambiguous",
    points=0.5,
    uses=("is_unambiguous",),
    about="fields of 12 and 13, and fields that are equal",
)
def is_unambiguous_edges(student: Student, generator: torch.Generator) -> None:
    """Where the rule begins, and where it is mechanical."""
    year, other = draw_number(generator, 1950, 2025), draw_number(generator, 1, 11)
    edges = (f"12/{other:02d}/{year}", f"{other:02d}/12/{year}", f"13/{other:02d}/{year}", f"{other:02d}/13/{year}")
    expect_judged(student, edges, "a numeric date at the edge")
    for field in (draw_number(generator, 1, 11), 12):
        equal = f"{field:02d}/{field:02d}/{year}"
        expect_judged(student, (equal,), "a numeric date whose fields are equal (a field must be greater than 12 all the same)")


def draw_ids(generator: torch.Generator, characters: Iterable[str]) -> dict[str, int]:
    """Characters with ids from 3 in a drawn order, which is not that of the notebook."""
    known = sorted(set(characters))
    order = (torch.randperm(len(known), generator=generator) + 3).tolist()
    return dict(zip(known, order, strict=True))


@check(
    "encode_batch_values",
    cell="encode_batch",
    points=0.5,
    uses=("encode_batch",),
    about="the four parts of batches of different lengths, with other ids than the notebook's",
)
def encode_batch_values(student: Student, generator: torch.Generator) -> None:
    """Several batches, one of a single pair."""
    for count in (6, 1, 4):
        pairs = draw_pairs(generator, count)
        ids = [draw_ids(generator, "".join(part)) for part in zip(*pairs, strict=True)]
        expected = dates.encode(pairs, *ids)
        found = expect_parts(student.encode_batch(pairs, *ids), PARTS)
        for name, part, right in zip(PARTS, found, expected, strict=True):
            expect_integers(part, right, name)


def expect_integers(found: Any, expected: Tensor, name: str) -> None:
    """An int64 tensor that equals the expected one."""
    if not isinstance(found, Tensor) or found.dtype != torch.int64 or found.shape != expected.shape:
        raise CheckFailed(f"{name} as {describe(found)}", f"an int64 tensor of shape {tuple(expected.shape)}")
    wrong = int((found != expected).sum())
    hints = {
        "source": "ids of the characters, then PAD up to the longest source",
        "lengths": "real characters of each source",
        "target_in": "BOS, then the ten characters",
        "target_out": "the ten characters, then EOS",
    }
    expect(not wrong, f"{name}: {wrong} of {found.numel()} entries are wrong", hints[name])


@check(
    "encode_batch_errors",
    cell="encode_batch",
    points=0.5,
    uses=("encode_batch",),
    about="a ValueError that contains the unknown character, in a source or a target",
)
def encode_batch_errors(student: Student, generator: torch.Generator) -> None:
    """Unknown characters in the middle of the batch, on either side."""
    for side in (0, 1):
        pairs = draw_pairs(generator, 3)
        ids = [draw_ids(generator, "".join(part)) for part in zip(*pairs, strict=True)]
        character = "#&!?%@"[draw_number(generator, 0, 5)]
        spoiled = list(pairs[1])
        at = draw_number(generator, 0, 9)
        spoiled[side] = spoiled[side][:at] + character + spoiled[side][at + 1 :]
        pairs[1] = (spoiled[0], spoiled[1])
        where = ("a source", "a target")[side]
        message = expect_refusal(student, "encode_batch", (pairs, *ids), f"an unknown character in {where}")
        expect(character in message, f"the message for an unknown character in {where} does not contain it", "the character")
