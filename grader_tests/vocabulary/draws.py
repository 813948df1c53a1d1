"""What the checks of random functions share: seeds, one generator for several calls, and what a generator argument promises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grading.expectations import expect, expect_tensor
from grading.student import Kept, Reply, Seeded, Student

# Draws differ by 2e-6 between instruction sets; sums and variances of them by some units more, relative to their size.
DRAWN = 1e-4
_KEPT = "generator_of_a_check"


def fresh_integers(generator: torch.Generator, low: int, high: int, count: int) -> list[int]:
    """Integers from low to high - 1."""
    return torch.randint(low, high, (count,), generator=generator).tolist()


def fresh_seeds(generator: torch.Generator, count: int) -> list[int]:
    """Different seeds for generators on the student's side."""
    seeds: list[int] = []
    while len(seeds) < count:
        seeds += [seed for seed in fresh_integers(generator, 0, 2**62, 1) if seed not in seeds]
    return seeds


def seeded(seed: int) -> torch.Generator:
    """The generator that `Seeded(seed)` stands for, on this side."""
    return torch.Generator().manual_seed(seed)


def running_generator(student: Student, seed: int) -> Kept:
    """A generator on the student's side that goes on from call to call."""
    student.ask("torch.Generator", keep=_KEPT)
    student.ask(f"{_KEPT}.manual_seed", seed)
    return Kept(_KEPT)


def agree(found: Tensor, expected: Tensor) -> bool:
    """Whether numbers come from the same draws."""
    if found.shape != expected.shape or not found.dtype.is_floating_point:
        return False
    gap = (found.detach().double() - expected.double()).abs()
    return bool((gap <= DRAWN * expected.double().abs().clamp(min=1.0)).all())


def numbers(value: Any) -> list[float]:
    """All numbers in an answer, in order; anything else counts as NaN, which equals nothing."""
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in numbers(part)]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return [float(number) for number in value.reshape(-1).tolist()]
    if isinstance(value, Tensor) and not value.is_complex():
        return [float(number) for number in value.detach().double().reshape(-1).tolist()]
    return [float(value)] if isinstance(value, (int, float)) and abs(value) < 1e300 else [math.nan]


def common_mistake(explanations: Sequence[Sequence[str]]) -> str:
    """The first known mistake that explains every answer that is not right, or nothing."""
    if not explanations:
        return ""
    first, *others = explanations
    return next((name for name in first if all(name in other for other in others)), "")


def same_numbers(first: Reply, second: Reply) -> bool:
    """Whether two calls gave exactly the same."""
    return numbers(first.value) == numbers(second.value)


def expect_generator_obeyed(student: Student, name: str, arguments: Sequence[Any], generator: torch.Generator) -> None:
    """One seed repeats, two seeds differ, a generator goes on from call to call, and no other source is drawn from.

    Exact: right answers of continuous draws coincide by chance once in more than 1e20 (twenty float32 numbers or more).
    """
    one, two = fresh_seeds(generator, 2)
    first = student.ask(name, *arguments, Seeded(one))
    source = "draw every number from the generator that is handed in: torch.randn(..., generator=generator)"
    repeats = same_numbers(first, student.ask(name, *arguments, Seeded(one)))
    expect(repeats, f"`{name}` gave different results for two generators in the same state", "the same draws", source)
    differs = not same_numbers(first, student.ask(name, *arguments, Seeded(two)))
    expect(differs, f"`{name}` gave the same result for two generators with different seeds", "different draws", source)
    running = running_generator(student, one)
    earlier, later = student.ask(name, *arguments, running), student.ask(name, *arguments, running)
    hint = "do not seed inside the function: whoever calls it decides on the generator's state"
    moved_on = not same_numbers(earlier, later)
    expect(moved_on, f"two calls of `{name}` with one generator gave the same result", "a generator that goes on", hint)
    moved = any(reply.random_moved for reply in (first, earlier, later))
    expect(not moved, f"`{name}` changed the state of the global random generator", "draws from the given one only", source)


def flat_sample(value: Any, n: int, what: str) -> Tensor:
    """(n,): a floating-point tensor of n numbers, of whatever shape: the shape is judged in a check of its own."""
    if isinstance(value, Tensor) and value.dtype.is_floating_point and value.numel() == n:
        return value.detach().double().reshape(-1)
    return expect_tensor(value, (n,), what).detach().double()
