"""How values cross the pipe: JSON for structure, raw bytes for tensors, never pickle.

A frame is `!IQ` (header length, blob length), a JSON header, and a blob that holds the bytes of all its tensors. The
side that runs student code uses this file as it is; the trusted side encodes with it and decodes with `grading.wire`, which
believes nothing.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

PREFIX = struct.Struct("!IQ")
LONGEST_TEXT = 20_000
MOST_PARTS = 150_000  # of one list, tuple or dict: as floats they fill three of the four megabytes of a header
DEEPEST = 24

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
        *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    )
}
_NAMES = {dtype: name for name, dtype in DTYPES.items() if dtype is not torch.bfloat16}  # numpy has no bfloat16


def pack(header: dict[str, Any], blob: bytes = b"") -> bytes:
    """One frame, ready to be sent."""
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    return PREFIX.pack(len(text), len(blob)) + text + blob


def encode(value: Any, blob: bytearray, depth: int = 0) -> Any:
    """The JSON form of a value; bytes of tensors are appended to `blob`. What has no form becomes its type's name."""
    if value is None or type(value) in (bool, float, int):
        return value if not _too_large(value) else {"other": "an integer of more than 4000 digits"}
    if isinstance(value, str):
        return str(value)[:LONGEST_TEXT]
    if depth > DEEPEST:
        return {"other": "a structure nested too deeply"}
    if isinstance(value, torch.Tensor):
        return _encode_tensor(value, blob)
    if isinstance(value, torch.Generator):
        return {"generator": value.initial_seed()}
    if isinstance(value, np.ndarray):
        return _encode_array(value, blob)
    if isinstance(value, (np.generic, bool, int, float)):
        return _encode_scalar(value)
    if isinstance(value, (dict, tuple, list)) and len(value) > MOST_PARTS:
        return {"other": f"a {type(value).__name__[:100]} of more than {MOST_PARTS} parts"}
    if isinstance(value, dict):
        return {"dict": [[encode(k, blob, depth + 1), encode(v, blob, depth + 1)] for k, v in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [encode(v, blob, depth + 1) for v in value], "fields": _field_names(value)}
    if isinstance(value, list):
        return [encode(v, blob, depth + 1) for v in value]
    return {"other": type(value).__name__[:200]}


def _too_large(value: Any) -> bool:
    return type(value) is int and value.bit_length() > 13_000


def _encode_scalar(value: Any) -> Any:
    """Numpy scalars, and subclasses of Python's numbers, as the plain number they hold."""
    if isinstance(value, np.longdouble):  # its item() is a longdouble again
        return float(value)
    if isinstance(value, np.generic):
        number = isinstance(value, (np.number, np.bool_)) and not isinstance(value, np.clongdouble)
        return encode(value.item(), bytearray()) if number else {"other": "numpy " + type(value).__name__}
    base = next(kind for kind in (bool, int, float) if isinstance(value, kind))
    plain = base.__pos__(value) if base is not bool else value
    return plain if not _too_large(plain) else {"other": "an integer of more than 4000 digits"}


def _field_names(value: tuple[Any, ...]) -> list[str] | None:
    """The names of a named tuple's parts; None for any other tuple."""
    fields = getattr(value, "_fields", None)
    fits = isinstance(fields, tuple) and len(fields) == len(value) > 0 and all(isinstance(f, str) for f in fields)
    return [str(f)[:100] for f in fields] if fits and fields else None


def _encode_tensor(tensor: torch.Tensor, blob: bytearray) -> Any:
    """Contiguous bytes beside dtype, shape, strides and requires_grad. A subclass's own functions are not asked."""
    if is_plain(tensor):
        described = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape), "strides": list(tensor.stride())}
        data = plain_bytes(tensor)
        place = {"at": len(blob), "size": len(data), "requires_grad": tensor.requires_grad}
        blob += data
        return {"tensor": described | place}
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        dtype = str(tensor.dtype).removeprefix("torch.")
        if tensor.layout != torch.strided or dtype not in DTYPES or tensor.device.type != "cpu":
            return {"other": f"a {tensor.layout} tensor of {tensor.dtype} on {tensor.device}"}
        flat = tensor.detach().resolve_conj().resolve_neg().contiguous().as_strided((tensor.numel(),), (1,))
        data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
        described = {"dtype": dtype, "shape": list(tensor.shape), "strides": _writable_strides(tensor)}
    place = {"at": len(blob), "size": len(data), "requires_grad": bool(tensor.requires_grad)}
    blob += data
    return {"tensor": described | place}


def is_plain(tensor: torch.Tensor) -> bool:
    """Whether a tensor is what most are: no subclass, its elements one after the other in memory, of a dtype that numpy knows."""
    strided = type(tensor) is torch.Tensor and tensor.dtype in _NAMES and tensor.layout is torch.strided
    return strided and tensor.is_contiguous() and tensor.is_cpu and not (tensor.is_conj() or tensor.is_neg())


def plain_bytes(tensor: torch.Tensor) -> bytes:
    """The elements of a plain tensor."""
    return tensor.detach().numpy().tobytes()


def _writable_strides(tensor: torch.Tensor) -> list[int]:
    """A tensor's strides; contiguous ones where its elements share memory, as after `expand`: such a layout cannot be filled."""
    reach = 0
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size > 1 and stride <= reach:
            return list(torch.empty(tensor.shape, device="meta").stride())
        reach += stride * max(size - 1, 0)
    return list(tensor.stride())


def _encode_array(array: np.ndarray[Any, Any], blob: bytearray) -> Any:
    if str(array.dtype) not in DTYPES:
        return {"other": f"a numpy array of {array.dtype}"[:200]}
    form = _encode_tensor(torch.from_numpy(np.array(array, order="C", subok=False, copy=True)), blob)
    return {"array": form["tensor"]}


def decode(form: Any, blob: bytes, resolve: Callable[[str], Any]) -> Any:
    """The value of a form that the trusted side sent; `resolve` finds kept objects by name."""
    if isinstance(form, list):
        return [decode(item, blob, resolve) for item in form]
    if not isinstance(form, dict):
        return form
    if "tensor" in form:
        return decode_tensor(form["tensor"], blob)
    if "generator" in form:
        return torch.Generator().manual_seed(form["generator"])
    if "kept" in form:
        return resolve(form["kept"])
    if "dict" in form:
        return {decode(key, blob, resolve): decode(value, blob, resolve) for key, value in form["dict"]}
    return tuple(decode(item, blob, resolve) for item in form["tuple"])


def decode_tensor(form: dict[str, Any], blob: bytes) -> torch.Tensor:
    """A new tensor, laid out in memory as the form's strides say."""
    dtype, shape = DTYPES[form["dtype"]], form["shape"]
    data = bytearray(blob[form["at"] : form["at"] + form["size"]])
    flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    tensor = torch.empty_strided(shape, form["strides"], dtype=dtype).copy_(flat.reshape(shape))
    return tensor.requires_grad_(form["requires_grad"])
