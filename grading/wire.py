"""The trusted side of the pipe: what arrives is measured before it is believed.

Nothing here allocates by a number that the other side named before that number is within bounds, and the only error that
leaves this module is WireError (the other side broke the rules of the pipe).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grading.sandbox.inside.codec import DTYPES, PREFIX


class WireError(Exception):
    """The sandbox sent something that no honest client sends."""


@dataclass(frozen=True)
class Bounds:
    """What one frame may hold: sizes in bytes, counts of values, depth of nesting."""

    header_bytes: int = 4_000_000
    blob_bytes: int = 256_000_000
    values: int = 200_000
    depth: int = 32
    axes: int = 16


@dataclass(frozen=True)
class Opaque:
    """A value that does not cross the pipe; its type's name is all that is known."""

    type_name: str


class Named(tuple[Any, ...]):
    """A named tuple that has crossed: its parts also answer to their names, save to names that tuples use themselves.

    No class is made for each, as `namedtuple` would: that costs a tenth of a millisecond, and the other side says how many.
    """

    _fields: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(name)
        return self[self._fields.index(name)]


@dataclass(frozen=True)
class Frame:
    """A header, still plain JSON, and the bytes that its tensors lie in; for code of this process, the error that it tells of."""

    header: dict[str, Any]
    blob: bytes
    cause: BaseException | None = None


class FrameReader:
    """Collects bytes as they come and gives back whole frames."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Add what was received; never more is asked for than `missing` says."""
        self._buffer += data

    def missing(self) -> int:
        """Bytes that the frame under way still lacks. Raises WireError where it announces too much."""
        if len(self._buffer) < PREFIX.size:
            return PREFIX.size - len(self._buffer)
        header_size, blob_size = PREFIX.unpack_from(self._buffer)
        if header_size > self.bounds.header_bytes or blob_size > self.bounds.blob_bytes:
            raise WireError("a frame longer than any notebook's was announced")  # how long, could tell of hidden inputs
        whole: int = PREFIX.size + header_size + blob_size
        return whole - len(self._buffer)

    def take(self) -> Frame | None:
        """The frame, once it is whole. Raises WireError where its header is no JSON object."""
        if self.missing() > 0:
            return None
        header_size, _ = PREFIX.unpack_from(self._buffer)
        text = bytes(self._buffer[PREFIX.size : PREFIX.size + header_size])
        blob = bytes(self._buffer[PREFIX.size + header_size :])
        self._buffer.clear()
        return Frame(parse_header(text), blob)


def parse_header(text: bytes) -> dict[str, Any]:
    """The JSON object in `text`. Raises WireError."""
    try:
        header = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise WireError("a header that is no JSON") from error
    if not isinstance(header, dict):
        raise WireError("a header that is no object")
    return header


class Decoder:
    """Turns the forms of one frame into values, counting as it goes."""

    def __init__(self, blob: bytes, bounds: Bounds) -> None:
        self.blob, self.bounds = blob, bounds
        self.seen = self.bytes_read = 0

    def value(self, form: Any, depth: int = 0) -> Any:
        """The value of a form: plain data, tensors (new memory), lists, tuples, dicts, Opaque. Raises WireError."""
        self.seen += 1
        if self.seen > self.bounds.values or depth > self.bounds.depth:
            raise WireError("a value of too many parts")
        if form is None or isinstance(form, (bool, int, float, str)):
            return form
        if isinstance(form, list):
            return [self.value(item, depth + 1) for item in form]
        if not isinstance(form, dict):
            raise WireError("a form of an unknown kind")
        return self._tagged(form, depth)

    def _tagged(self, form: dict[str, Any], depth: int) -> Any:
        if "tensor" in form:
            return self._tensor(form["tensor"])
        if "array" in form:
            return _as_array(self._tensor(form["array"]))
        if isinstance(form.get("tuple"), list):
            return self._tuple(form, depth)
        if isinstance(form.get("dict"), list):
            return self._dict(form["dict"], depth)
        if isinstance(form.get("other"), str):
            return Opaque(form["other"][:200])
        if "generator" in form:
            return Opaque("Generator")
        raise WireError("a form of an unknown kind")

    def _tuple(self, form: dict[str, Any], depth: int) -> Any:
        items = [self.value(item, depth + 1) for item in form["tuple"]]
        fields = form.get("fields")
        if not fields:
            return tuple(items)
        if not isinstance(fields, list) or len(fields) != len(items) or not all(isinstance(f, str) for f in fields):
            raise WireError("a named tuple whose fields do not fit")
        named = Named(items)
        named._fields = tuple(fields)
        return named

    def _dict(self, pairs: list[Any], depth: int) -> dict[Any, Any]:
        result = {}
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise WireError("a dict whose items are no pairs")
            key = self.value(pair[0], depth + 1)
            if not isinstance(key, (str, int, float, bool, type(None))):
                key = Opaque(f"a key of type {type(key).__name__}")
            if type(key) is int and abs(key) >= 2**60:  # such numbers can be chosen to fall on one place of the dict
                key = Opaque("a large integer")
            result[key] = self.value(pair[1], depth + 1)
        return result

    def _tensor(self, form: Any) -> torch.Tensor:
        if not isinstance(form, dict) or not isinstance(form.get("dtype"), str) or form["dtype"] not in DTYPES:
            raise WireError("a tensor of an unknown dtype")
        dtype, shape = DTYPES[form["dtype"]], form.get("shape")
        if not isinstance(shape, list) or len(shape) > self.bounds.axes or not all(_is_size(n) for n in shape):
            raise WireError("a tensor whose shape is no list of sizes")
        at, size = form.get("at"), form.get("size")
        if not (isinstance(at, int) and isinstance(size, int) and _is_size(at) and _is_size(size)) or at + size > len(self.blob):
            raise WireError("a tensor that lies outside its frame")
        # An empty tensor may be long along its other axes; torch multiplies those too, in 64 bits.
        if math.prod(shape) * dtype.itemsize != size or math.prod(max(n, 1) for n in shape) > 2**48:
            raise WireError("a tensor that claims one shape and carries another")
        self.bytes_read += size  # each tensor is copied, and an honest frame holds each byte for one tensor
        if self.bytes_read > len(self.blob):
            raise WireError("tensors that share bytes of their frame")
        return _read_flat(bytearray(self.blob[at : at + size]), dtype).reshape(shape)


def _as_array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    try:
        array: np.ndarray[Any, Any] = tensor.numpy()
    except (TypeError, ValueError, RuntimeError) as error:
        raise WireError("an array that numpy cannot hold") from error
    return array


def _read_flat(data: bytearray, dtype: torch.dtype) -> torch.Tensor:
    if not data:
        return torch.empty(0, dtype=dtype)
    if dtype is torch.bool:  # a byte other than 0 and 1 would be a third truth value
        return torch.frombuffer(data, dtype=torch.uint8) != 0
    return torch.frombuffer(data, dtype=dtype)


def _is_size(number: Any) -> bool:
    return type(number) is int and 0 <= number < 2**62
