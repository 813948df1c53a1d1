"""The date benchmark as the trusted side knows it: pairs, split, vocabularies, encoding, and what counts as unambiguous.

Written anew beside `source/m5_date_rematch/date_task.py`, which students get; a test holds the two together.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

PAD, BOS, EOS = 0, 1, 2
MONTH_DAYS = {
    "january": 31,
    "february": 28,
    "march": 31,
    "april": 30,
    "may": 31,
    "june": 30,
    "july": 31,
    "august": 31,
    "september": 30,
    "october": 31,
    "november": 30,
    "december": 31,
}
Pair = tuple[str, str]


class Encoded(NamedTuple):
    """source (B, n), lengths (B,), target_in and target_out (B, 11), all int64."""

    source: Tensor
    lengths: Tensor
    target_in: Tensor
    target_out: Tensor


class Benchmark(NamedTuple):
    """The unambiguous pairs of the sealed test and the first 400 of validation, and the two vocabularies."""

    test: list[Pair]
    valid: list[Pair]
    source_ids: dict[str, int]
    target_ids: dict[str, int]


def draw_pair(rng: random.Random) -> Pair:
    """A date as somebody writes it, and as ISO 8601 has it."""
    names = list(MONTH_DAYS)
    month = rng.randrange(12)
    day = rng.randrange(1, MONTH_DAYS[names[month]] + 1)
    year = rng.randrange(1950, 2026)
    kind = rng.random()
    iso = f"{year}-{month + 1:02d}-{day:02d}"
    if kind < 0.35:
        return f"{names[month]} {day}, {year}", iso
    if kind < 0.6:
        return f"{day} {names[month]} {year}", iso
    first, second = (month + 1, day) if rng.random() < 0.7 else (day, month + 1)
    return f"{first:02d}/{second:02d}/{year}", iso


@functools.cache
def benchmark() -> Benchmark:
    """The 9,000 pairs of seed 6050, as far as an audit needs them."""
    rng, drawn = random.Random(6050), dict[str, str]()
    while len(drawn) < 9000:
        source, target = draw_pair(rng)
        if source not in drawn:
            drawn[source] = target
    pairs = list(drawn.items())
    test = [pair for pair in pairs[8500:] if is_unambiguous(pair[0])]
    valid = [pair for pair in pairs[8000:8500] if is_unambiguous(pair[0])][:400]
    return Benchmark(test, valid, number_characters(drawn), number_characters(drawn.values()))


def number_characters(texts: Iterable[str]) -> dict[str, int]:
    """Characters in order, numbered from 3."""
    found = sorted({character for text in texts for character in text})
    return {character: i + 3 for i, character in enumerate(found)}


def is_unambiguous(source: str) -> bool:
    """Whether a date can be read in one way only, by the benchmark's rule: one of its first two numbers is over 12, or a name."""
    fields = source.split("/")
    return len(fields) != 3 or int(fields[0]) > 12 or int(fields[1]) > 12


def encode(pairs: Sequence[Pair], source_ids: Mapping[str, int], target_ids: Mapping[str, int]) -> Encoded:
    """Sources padded to the longest; targets behind BOS, and before EOS."""
    sources = [[source_ids[c] for c in source] for source, _ in pairs]
    targets = [[target_ids[c] for c in target] for _, target in pairs]
    longest = max(map(len, sources))
    return Encoded(
        torch.tensor([row + [PAD] * (longest - len(row)) for row in sources]),
        torch.tensor([len(row) for row in sources]),
        torch.tensor([[BOS, *row] for row in targets]),
        torch.tensor([[*row, EOS] for row in targets]),
    )
