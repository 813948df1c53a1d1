"""Whether a call drew from a global generator, or seeded one, is seen at every call."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from grading.student import Student, local_student

X = torch.ones(2, 3)


def student_of(f: Any) -> Student:
    return local_student({"f": f}, "cell")


def moves(function: Any, calls: int = 4) -> list[bool]:
    student = student_of(lambda: function() and None)
    return [student.ask("f").random_moved for _ in range(calls)]


DRAWS = {
    "torch": lambda: torch.rand(1),
    "random": random.random,
    "dropout": lambda: functional.dropout(X).sum(),
    "numpy": lambda: np.random.rand(),
    "numpy, one of a pair": lambda: np.random.randn(),
    "numpy, an integer": lambda: np.random.randint(10),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_draw_is_reported_every_time(draw: Any) -> None:
    assert moves(draw) == [True] * 4
    assert moves(lambda: None) == [False] * 4


@pytest.mark.parametrize(
    "seed",
    [lambda: torch.manual_seed(0), lambda: np.random.seed(0), lambda: random.seed(0)],
    ids=["torch", "numpy", "random"],
)
def test_a_seed_is_reported_every_time(seed: Any) -> None:
    assert moves(seed) == [True] * 4


@pytest.fixture
def own_bit_generator() -> Iterator[None]:
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(5))
    yield
    np.random.set_bit_generator(before)


def test_numpys_generator_is_followed_where_student_code_put_another_in_its_place(own_bit_generator: None) -> None:
    assert moves(lambda: np.random.rand()) == [True] * 4
    assert moves(lambda: None) == [False] * 4


def test_a_generator_that_is_replaced_during_a_call_is_reported() -> None:
    before = np.random.get_bit_generator()
    try:
        assert moves(lambda: np.random.set_bit_generator(np.random.PCG64(5)), calls=1) == [True]
    finally:
        np.random.set_bit_generator(before)


def test_a_seed_makes_all_three_generators_repeat_and_is_no_move() -> None:
    student = student_of(lambda: [torch.rand(2), float(np.random.rand()), random.random()])
    first, second, other = (student.ask("f", seed=seed) for seed in (3, 3, 4))
    assert repr(first.value) == repr(second.value) != repr(other.value)
    assert not first.random_moved
