"""Honest values cross the pipe whole, both ways: what a notebook returns, and what a check sends."""

from __future__ import annotations

import json
import math
from collections import OrderedDict, defaultdict, namedtuple
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
import torch

from grading.expectations import expect_pair
from grading.sandbox.inside.codec import DTYPES, decode, encode, pack
from grading.student import Kept, Seeded, form
from grading.wire import Bounds, Decoder, FrameReader, Named, Opaque

Point = namedtuple("Point", "x y")


class Colour(IntEnum):
    RED = 7


class Chatty(float):
    def __repr__(self) -> str:
        raise SystemExit


def there_and_back(value: Any) -> Any:
    """A value through the student's side and a real frame to the trusted one."""
    blob = bytearray()
    header = {"value": encode(value, blob)}
    reader = FrameReader(Bounds())
    reader.feed(pack(header, bytes(blob)))
    frame = reader.take()
    assert frame is not None
    return Decoder(frame.blob, Bounds()).value(frame.header["value"])


def sent(value: Any, **kept: Any) -> Any:
    """An argument through the trusted side and a frame to the student's."""
    blob = bytearray()
    header = json.loads(json.dumps({"value": form(value, blob)}))
    return decode(header["value"], bytes(blob), kept.__getitem__)


# Honest values, from the student's side to ours.


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -3,
        10**100,
        1.5,
        -0.0,
        math.inf,
        "",
        "ä",
        "\ud800",
        [],
        [1, [2, [None]]],
        (),
        (1,),
        {"a": [1]},
        {1: 2, None: 3},
    ],
    ids=repr,
)
def test_plain_values_come_through_whole(value: Any) -> None:
    found = there_and_back(value)
    assert found == value
    assert type(found) is type(value)


def test_nan_comes_through_as_nan() -> None:
    assert math.isnan(there_and_back(math.nan))
    assert there_and_back(torch.tensor([math.nan, math.inf])).isnan().tolist() == [True, False]


def test_minus_zero_keeps_its_sign() -> None:
    assert math.copysign(1, there_and_back(-0.0)) == -1


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)], ids=str)
def test_tensors_of_every_dtype_and_shape_come_through_whole(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensor = torch.arange(math.prod(shape)).reshape(shape).to(dtype)
    found = there_and_back(tensor)
    assert found.dtype is dtype
    assert torch.equal(found, tensor)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.arange(10.0)[::3],
        torch.ones(1, 3).expand(4, 3),
        torch.arange(5.0).unfold(0, 3, 1),
        torch.tensor([1 + 2j]).conj(),
        torch.tensor([1 + 2j]).conj().imag,
        torch.nn.Parameter(torch.ones(2)),
        torch.ones(2, requires_grad=True) * 2,
    ],
    ids=["transposed", "slice", "expanded", "unfolded", "conjugate", "negative", "parameter", "with a graph"],
)
def test_tensors_of_odd_layout_come_through_as_plain_ones(tensor: torch.Tensor) -> None:
    found = there_and_back(tensor)
    assert torch.equal(found, tensor.detach().resolve_conj().resolve_neg())
    assert type(found) is torch.Tensor
    assert not found.requires_grad


@pytest.mark.parametrize("array", [np.eye(2), np.arange(6)[::2], np.array(3.0), np.zeros((0, 2)), np.array([True])], ids=repr)
def test_numpy_arrays_come_through_as_arrays(array: Any) -> None:
    found = there_and_back(array)
    assert isinstance(found, np.ndarray)
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(1.5), 1.5),
        (np.int8(3), 3),
        (np.bool_(True), True),
        (np.longdouble(2.5), 2.5),
        (Colour.RED, 7),
        (Chatty(0.5), 0.5),
    ],
    ids=["float64", "int8", "bool", "longdouble", "enum", "subclass"],
)
def test_numbers_of_other_classes_come_through_as_plain_numbers(value: Any, plain: Any) -> None:
    found = there_and_back(value)
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize("value", [defaultdict(list, a=1), OrderedDict(a=1)], ids=["defaultdict", "OrderedDict"])
def test_dicts_of_other_classes_come_through_as_dicts(value: Any) -> None:
    assert there_and_back(value) == {"a": 1}


def test_named_tuples_keep_their_names() -> None:
    found = there_and_back(Point(1, torch.ones(2)))
    assert isinstance(found, tuple)
    assert (found.x, found.y.tolist()) == (1, [1, 1])
    assert expect_pair(found, ("x", "y"))[0] == 1
    with pytest.raises(AttributeError):
        _ = found.z


def test_a_named_tuple_with_odd_names_is_still_a_tuple() -> None:
    assert tuple(there_and_back(namedtuple("Odd", "def x", rename=True)(1, 2))) == (1, 2)
    assert tuple(there_and_back(torch.max(torch.eye(2), 0)))[1].tolist() == [0, 1]


@pytest.mark.parametrize("fields", [3, "ab", ("a",), (1, 2), [1, 2]], ids=repr)
def test_a_tuple_whose_fields_do_not_fit_comes_through_as_a_plain_one(fields: Any) -> None:
    odd = type("Odd", (tuple,), {"_fields": fields})
    assert type(there_and_back(odd((1, 2)))) is tuple


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (object(), "object"),
        ({1}, "set"),
        (b"", "bytes"),
        (1j, "complex"),
        (np.array(["a"]), "a numpy array of <U1"),
        (np.datetime64("2020"), "numpy datetime64"),
        (np.clongdouble(1), "numpy clongdouble"),
        (torch.ones(2).to_sparse(), "a torch.sparse_coo tensor of torch.float32 on cpu"),
        (torch.ones(2, device="meta"), "a torch.strided tensor of torch.float32 on meta"),
        (10**4000, "an integer of more than 4000 digits"),
        (len, "builtin_function_or_method"),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, str) else "",
)
def test_what_has_no_form_comes_through_as_its_type(value: Any, name: str) -> None:
    assert there_and_back([value]) == [Opaque(name)]


def test_a_list_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "nested too deeply" in repr(there_and_back(loop))


def test_long_texts_are_cut() -> None:
    assert len(there_and_back("x" * 10**6)) == 20_000


def test_a_tensor_that_comes_through_shares_no_memory() -> None:
    blob = bytearray()
    value = encode(torch.zeros(3), blob)
    frame = bytes(blob)
    Decoder(frame, Bounds()).value(value).fill_(7)
    assert frame == bytes(12)


# Arguments, from our side to the student's.


@pytest.mark.parametrize("value", [None, True, 3, 1.5, "a", [1, (2, {"k": None})], (1, 2), {"a": (1,)}, {1: [2]}], ids=repr)
def test_plain_arguments_arrive_whole(value: Any) -> None:
    assert sent(value) == value
    assert type(sent(value)) is type(value)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.arange(10.0)[::3],
        torch.zeros(0, 3),
        torch.tensor(2),
        torch.ones(2, requires_grad=True),
    ],
    ids=["transposed", "slice", "empty", "0-d", "with gradient"],
)
def test_tensor_arguments_arrive_with_their_layout_and_their_wish_for_a_gradient(tensor: torch.Tensor) -> None:
    found = sent(tensor)
    assert torch.equal(found, tensor)
    assert found.requires_grad == tensor.requires_grad
    assert found.numel() == 0 or found.stride() == tensor.stride()
    assert found.is_leaf


@pytest.mark.parametrize(
    "tensor",
    [torch.ones(1, 3).expand(4, 3), torch.arange(5.0).unfold(0, 3, 1), torch.ones(()).expand(2, 2)],
    ids=["expanded", "unfolded", "0-d"],
)
def test_tensors_whose_entries_share_memory_arrive_with_the_right_values_and_can_be_written_to(tensor: torch.Tensor) -> None:
    found = sent(tensor)
    assert torch.equal(found, tensor)
    found += 1


def test_kept_objects_and_generators_stand_at_any_depth() -> None:
    kept, generator = sent([Kept("model"), (Seeded(5),)], model="the model itself")
    assert kept == "the model itself"
    assert generator[0].initial_seed() == 5


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, [b"x"]], ids=lambda value: type(value).__name__)
def test_what_cannot_be_sent_is_our_fault_and_says_so(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        form(value, bytearray())


def test_names_that_tuples_or_python_use_themselves_are_not_overruled() -> None:
    named_tuple = Decoder(b"", Bounds()).value({"tuple": [1, 2, 3], "fields": ["count", "__class__", "__torch_function__"]})
    assert type(named_tuple) is Named
    assert named_tuple.count(2) == 1
    assert not hasattr(named_tuple, "__torch_function__")
