"""Sentences of checks: what they let pass, what they do not, and in which words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from grading.checks import CheckFailed
from grading.expectations import TOLERANCE, close, describe, expect, expect_close, expect_dtype, expect_pair, expect_tensor
from grading.wire import Named, Opaque

RIGHT = torch.tensor([[1.0, -2.0], [0.0, 300.0]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "None"),
        (True, "a bool"),
        (3, "a int"),
        ({}, "a dict"),
        ([1, 2], "a list of 2"),
        ((), "a tuple of 0"),
        (Named((1, 2)), "a tuple of 2"),
        (torch.ones(2, 3), "a float32 tensor of shape (2, 3)"),
        (torch.tensor(1), "an int64 tensor of shape ()"),
        (np.zeros((1, 4)), "a numpy array of shape (1, 4)"),
        (Opaque("function"), "an object of type function"),
        (Opaque("set"), "an object of type set"),
        (Opaque("a numpy array of <U3"), "a numpy array of a dtype that is not asked for"),
        (Opaque("a torch.sparse_coo tensor of torch.float32 on cpu"), "a tensor of a dtype or layout that is not asked for"),
        (Opaque("an integer of more than 4000 digits"), "an integer of more than 4000 digits"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_value_is_described_by_its_kind(value: Any, told: str) -> None:
    assert describe(value) == told


@pytest.mark.parametrize(
    "value",
    [
        Opaque("tensor_0_1234_5_678"),
        Opaque("[0.1234, 5.678]"),
        Opaque("a numpy array of 0.1234"),
        Opaque("a torch.0.1234"),
        torch.zeros(0, 1234, 5678, 2**20),
        torch.zeros(0, *[1234] * 5, 1),
        {"0.1234": 1},
        "0.1234",
        0.1234,
        [0.1234, "1234"],
    ],
    ids=lambda v: type(v).__name__,
)
def test_a_description_repeats_nothing_that_a_student_made_up(value: Any) -> None:
    assert "1234" not in describe(value)


@pytest.mark.parametrize("value", [3, 3.5, -0.0, math.nan, np.float64(2)], ids=repr)
def test_a_plain_number_is_a_tensor_without_axes(value: Any) -> None:
    found = expect_tensor(value, (), "the entropy")
    assert found.dtype is torch.float64
    assert str(found.item()) == str(float(value))


def test_minus_zero_equals_zero_and_passes() -> None:
    expect_close(-0.0, torch.tensor(0.0), "the entropy")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "as None"),
        (True, "as a bool"),
        ("1", "as a str"),
        ([[1.0, 2.0], [3.0, 4.0]], "as a list of 2"),
        (np.ones((2, 2)), "as a numpy array"),
        (10**400, "as an integer beyond all floats"),
        (torch.ones(2, 2, dtype=torch.int64), "an int64 tensor"),
        (torch.ones(2, 2, dtype=torch.bool), "a bool tensor"),
        (torch.ones(2, 2, dtype=torch.complex64), "a complex64 tensor"),
        (torch.ones(2, 3), "shape (2, 3)"),
        (torch.ones(4), "shape (4,)"),
        (torch.ones(1, 2, 2), "shape (1, 2, 2)"),
        (1.0, "shape ()"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_is_no_tensor_of_the_shape_asked_for_fails_in_words(value: Any, told: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        expect_tensor(value, (2, 2), "it")
    assert told in caught.value.came
    assert "(2, 2)" in caught.value.expected or "floating-point" in caught.value.expected


@pytest.mark.parametrize("pair", [(1, 2), [1, 2], Named((1, 2))], ids=["tuple", "list", "named tuple"])
def test_two_things_are_a_pair(pair: Any) -> None:
    assert expect_pair(pair, ("a", "b")) == (1, 2)


@pytest.mark.parametrize("value", [None, 1, (1,), (1, 2, 3), [], "ab", {1: 2, 3: 4}, torch.ones(2, 2)], ids=repr)
def test_anything_else_is_none(value: Any) -> None:
    with pytest.raises(CheckFailed, match="a pair: the output and the weights"):
        expect_pair(value, ("the output", "the weights"))


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_close_allows_the_tolerance_of_the_dtype_and_no_more(dtype: torch.dtype) -> None:
    right = RIGHT.to(dtype)
    limit = TOLERANCE[dtype]
    assert close(right + 0.5 * limit * 300, right, limit)
    for i in range(4):
        off = right.clone().double()
        off.view(-1)[i] += 3 * limit * 300
        assert not close(off, right, limit)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity_are_close_to_nothing(value: float) -> None:
    wrong = RIGHT.clone()
    wrong[0, 0] = value
    assert not close(wrong, RIGHT, 1e9)
    with pytest.raises(CheckFailed, match=r"1 of 4 entries"):
        expect_close(wrong, RIGHT, "the output")


def test_shapes_that_would_broadcast_are_not_close() -> None:
    assert not close(torch.ones(2, 1), torch.ones(2, 2), 1.0)
    assert not close(torch.ones(()), torch.ones(2), 1.0)


def test_empty_tensors_of_one_shape_are_close() -> None:
    assert close(torch.zeros(0, 3), torch.zeros(0, 3), 1e-9)
    assert not close(torch.zeros(0, 3), torch.zeros(3, 0), 1e-9)


def test_all_zeros_are_close_to_zeros_alone() -> None:
    assert close(torch.zeros(2), torch.zeros(2), 1e-9)
    assert not close(torch.full((2,), 1e-30), torch.zeros(2), 1e-9)


def test_precision_that_was_lost_on_the_way_is_seen_in_float64() -> None:
    draws = torch.randn(50, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    with pytest.raises(CheckFailed):
        expect_close(draws.float().double(), draws, "the output")
    with pytest.raises(CheckFailed):
        expect_close(draws.half(), draws.float(), "the output")
    expect_close(draws.float(), draws.float(), "the output")


def test_a_difference_is_told_by_its_size_and_number_and_not_by_values() -> None:
    wrong = RIGHT.clone()
    wrong[0] += torch.tensor([0.123456, -0.03])
    with pytest.raises(CheckFailed) as caught:
        expect_close(wrong, RIGHT, "the output", hint="look again")
    assert all(part in caught.value.came for part in ("the output", "2 of 4 entries", "differ", "by up to 0.12"))
    assert not any(value in str(caught.value) for value in ("0.1234", "300", "-2"))
    assert (caught.value.expected, caught.value.hint, caught.value.mistake) == ("agreement with the definition", "look again", "")


def test_a_known_mistake_is_named_and_only_where_it_was_made() -> None:
    mistakes = {"doubled": 2 * RIGHT, "of another shape": torch.ones(3), "negated": -RIGHT}
    with pytest.raises(CheckFailed) as caught:
        expect_close(-RIGHT, RIGHT, "it", mistakes=mistakes)
    assert caught.value.mistake == "negated"
    with pytest.raises(CheckFailed) as caught:
        expect_close(RIGHT + 1, RIGHT, "it", mistakes=mistakes)
    assert caught.value.mistake == ""
    assert expect_close(RIGHT, RIGHT, "it", mistakes={"right itself": RIGHT}) is RIGHT


def test_a_tolerance_of_its_own_overrules_the_dtypes() -> None:
    expect_close(RIGHT + 1e-4, RIGHT, "it", tolerance=1e-3)
    with pytest.raises(CheckFailed):
        expect_close(RIGHT + 1e-4, RIGHT, "it", tolerance=1e-9)


def test_a_condition_and_a_dtype_fail_in_words() -> None:
    expect(True, "a", "b")
    with pytest.raises(CheckFailed, match=r"a\. b\. c"):
        expect(False, "a", "b", "c")
    expect_dtype(RIGHT, torch.float64, "it")
    with pytest.raises(CheckFailed, match=r"a float64 tensor of shape \(2, 2\) for inputs of float32"):
        expect_dtype(RIGHT, torch.float32, "it")
