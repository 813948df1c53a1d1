"""The pipe's trusted side: nothing that the other side may send does more than raise WireError."""

from __future__ import annotations

import contextlib
import json
import time
import tracemalloc
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.expectations import close, describe, expect_tensor
from grading.sandbox.inside.codec import DTYPES, PREFIX, pack
from grading.student import fault
from grading.wire import Bounds, Decoder, FrameReader, WireError, parse_header

quick = settings(max_examples=150, deadline=None, database=None, derandomize=True)
SMALL = Bounds(header_bytes=1000, blob_bytes=1000, values=50, depth=6, axes=4)


def tensor_form(shape: Any, size: Any, at: Any = 0, dtype: Any = "float32", tag: str = "tensor") -> dict[str, Any]:
    return {tag: {"dtype": dtype, "shape": shape, "at": at, "size": size, "strides": [], "requires_grad": False}}


# What no honest client sends.

DISHONEST = {
    "another shape than it carries": tensor_form([3], 8),
    "more bytes than its shape": tensor_form([1], 8),
    "10**12 elements": tensor_form([10**12], 4 * 10**12),
    "10**12 elements in no bytes": tensor_form([10**12], 0),
    "empty, and long along many axes": tensor_form([0, 2**40, 2**40], 0),
    "beyond the frame": tensor_form([2], 8, at=4),
    "far beyond the frame": tensor_form([2], 8, at=2**70),
    "before the frame": tensor_form([2], 8, at=-8),
    "a negative size": tensor_form([-2], -8),
    "two negative sizes": tensor_form([-1, -2], 8),
    "a size that is a truth value": tensor_form([True], 4),
    "a size that is a float": tensor_form([2.0], 8),
    "a place that is a truth value": tensor_form([1], 4, at=True),
    "a shape that is no list": tensor_form("22", 8),
    "a shape of too many axes": tensor_form([1] * 17 + [2], 8),
    "an unknown dtype": tensor_form([1], 8, dtype="object"),
    "a dtype that is a list": tensor_form([1], 8, dtype=["float32"]),
    "an array that numpy cannot hold": tensor_form([4], 8, dtype="bfloat16", tag="array"),
    "no description": {"tensor": None},
    "two tensors in one place": [tensor_form([2], 8), tensor_form([1], 4)],
    "names that do not fit": {"tuple": [1], "fields": ["a", "b"]},
    "names that are numbers": {"tuple": [1], "fields": [1]},
    "names that are no list": {"tuple": [1], "fields": "a"},
    "pairs of one": {"dict": [[1]]},
    "pairs that are none": {"dict": [1]},
    "a tuple that is no list": {"tuple": 1},
    "an unknown tag": {"pickle": "gASV"},
    "no tag": {},
    "an other that is no text": {"other": 3},
}


@pytest.mark.parametrize("dishonest", DISHONEST.values(), ids=DISHONEST.keys())
def test_a_dishonest_form_is_refused(dishonest: Any) -> None:
    with pytest.raises(WireError):
        Decoder(bytes(8), Bounds()).value(dishonest)


def test_a_form_nested_too_deeply_is_refused() -> None:
    deep: Any = 1
    for _ in range(33):
        deep = [deep]
    with pytest.raises(WireError):
        Decoder(b"", Bounds()).value(deep)
    Decoder(b"", Bounds()).value(deep[0])


def test_too_many_values_are_refused_however_they_are_spread_over_a_frame() -> None:
    decoder = Decoder(b"", SMALL)
    decoder.value([0] * 30)
    with pytest.raises(WireError):
        decoder.value([0] * 30)


def test_a_boolean_tensor_has_two_truth_values() -> None:
    found = Decoder(b"\x00\x01\x02\xff", Bounds()).value(tensor_form([4], 4, dtype="bool"))
    assert found.view(torch.uint8).tolist() == [0, 1, 1, 1]


def test_tensors_that_share_bytes_cannot_fill_the_memory() -> None:
    blob = bytes(1_000_000)
    tracemalloc.start()
    with pytest.raises(WireError):
        Decoder(blob, Bounds()).value([tensor_form([250_000], 1_000_000)] * 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    "many",
    [[{"tuple": [1], "fields": ["a"]}] * 90_000, {"dict": [[k * (2**61 - 1), 0] for k in range(90_000)]}],
    ids=["named tuples", "keys that fall on one place"],
)
def test_what_is_within_bounds_takes_little_time(many: Any) -> None:
    before = time.process_time()
    Decoder(b"", Bounds()).value(many)
    assert time.process_time() - before < 5  # a class for each named tuple, or a dict of one place, takes minutes


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(list(DTYPES))
keys = st.sampled_from(
    ["tensor", "array", "tuple", "fields", "dict", "other", "generator", "dtype", "shape", "at", "size"]
) | st.text(max_size=3)
sizes = st.integers(-2, 9) | st.sampled_from([2**31, 10**12, 2**62, 2**64])
tensor_forms = st.fixed_dictionaries(
    {"dtype": st.sampled_from([*DTYPES, "object"]), "shape": st.lists(sizes, max_size=5), "at": sizes, "size": sizes | st.just(8)}
).flatmap(lambda described: st.sampled_from([{"tensor": described}, {"array": described}]))
named = st.lists(scalars, max_size=3).flatmap(
    lambda items: st.lists(st.text(max_size=3), min_size=len(items), max_size=len(items)).map(
        lambda f: {"tuple": items, "fields": f}
    )
)
forms = st.recursive(
    scalars | tensor_forms | named,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.lists(inner, max_size=3).map(lambda t: {"tuple": t})
    ),
    max_leaves=25,
)


@quick
@given(forms, st.binary(max_size=64))
def test_any_form_is_a_value_or_a_wire_error(arbitrary: Any, blob: bytes) -> None:
    arbitrary = parse_header(json.dumps({"value": arbitrary}).encode())["value"]
    try:
        found = Decoder(blob, SMALL).value(arbitrary)
    except WireError:
        return
    describe(found)  # what comes out can be spoken of, and compared
    for part in found if isinstance(found, (list, tuple)) else [found]:
        if isinstance(part, torch.Tensor):
            assert part.numel() * part.element_size() <= 64
            assert not part.dtype.is_floating_point or close(part, part.nan_to_num(), 1.0) in (True, False)
            assert not part.dtype.is_floating_point or expect_tensor(part, part.shape, "it") is part


@quick
@given(
    st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | st.just("classes"), inner, max_size=4)
    )
)
def test_any_error_reply_is_a_fault_or_a_wire_error(arbitrary: Any) -> None:
    try:
        described = fault("attention", arbitrary, {"attention"})
    except WireError:
        return
    assert str(described)


@quick
@given(st.binary(max_size=200))
def test_any_bytes_are_a_header_or_a_wire_error(text: bytes) -> None:
    with contextlib.suppress(WireError):
        assert isinstance(parse_header(text), dict)


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"1", b"{", b"\xff", b'{"a":' + b"[" * 10**5, b'{"a":' + b"1" * 5000 + b"}", b'{"a":1}{}'],
    ids=lambda t: repr(t[:8]),
)
def test_a_header_that_is_no_json_object_is_refused(text: bytes) -> None:
    with pytest.raises(WireError):
        parse_header(text)


# Frames.


def test_a_frame_arrives_a_byte_at_a_time_and_the_next_after_it() -> None:
    reader = FrameReader(SMALL)
    for header, blob in (({"event": "reply", "text": "ü\ud800"}, b"12345"), ({}, b"")):
        for byte in pack(header, blob):
            assert reader.take() is None
            assert reader.missing() > 0
            reader.feed(bytes([byte]))
        frame = reader.take()
        assert frame is not None
        assert (frame.header, frame.blob) == (header, blob)


@quick
@given(st.binary(max_size=300), st.integers(1, 9))
def test_any_stream_is_frames_or_a_wire_error_and_asks_for_no_more_than_the_bounds(stream: bytes, step: int) -> None:
    reader = FrameReader(SMALL)
    with contextlib.suppress(WireError):
        while stream:
            wanted = reader.missing()
            assert 0 < wanted <= PREFIX.size + SMALL.header_bytes + SMALL.blob_bytes
            part, stream = stream[: min(step, wanted)], stream[min(step, wanted) :]
            reader.feed(part)
            reader.take()


@pytest.mark.parametrize(("header", "blob"), [(1001, 0), (0, 1001), (2**32 - 1, 2**64 - 1)])
def test_a_frame_that_announces_too_much_is_refused_before_it_is_read(header: int, blob: int) -> None:
    reader = FrameReader(SMALL)
    reader.feed(PREFIX.pack(header, blob))
    with pytest.raises(WireError, match="was announced"):
        reader.missing()
