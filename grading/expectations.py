"""Sentences of checks: each either holds or raises CheckFailed with what came back and what was expected, in words.

Values of hidden inputs are never repeated: shapes, dtypes and sizes of differences are.
"""

from __future__ import annotations

import builtins
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grading.checks import CheckFailed
from grading.wire import Opaque

# Right orders of operation differ by a few units in the last place of sums of some dozens of terms: 1e-9 is 4e6 units of
# float64, 3e-5 is 250 units of float32. Where terms cancel, all entries of a result may be small beside them, and errors large
# beside these: so much is left for that (tests/chance counts how often it is needed). Float32 inside an answer for float64 shows
# at 1e-8, half precision inside one for float32 at 1e-4.
TOLERANCE = {torch.float64: 1e-9, torch.float32: 3e-5}


def describe(value: Any) -> str:
    """What kind of thing a value is, without its numbers."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{'an' if dtype.startswith('i') else 'a'} {dtype} tensor of {_shape(value.shape)}"
    if isinstance(value, np.ndarray):
        return f"a numpy array of {_shape(value.shape)}"
    if isinstance(value, Opaque):
        return _describe_opaque(value.type_name)
    if isinstance(value, (tuple, list)):
        return f"a {'list' if isinstance(value, list) else 'tuple'} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


def _shape(shape: Sequence[int]) -> str:
    """A shape as far as an honest answer has one; longer ones could tell what the inputs were."""
    return f"shape {tuple(shape)}" if len(shape) <= 6 and all(n < 10_000 for n in shape) else f"{len(shape)} axes, some very long"


def _describe_opaque(name: str) -> str:
    """A type that does not cross the pipe; names that a student made up are not repeated, for they may say anything."""
    if name.startswith("a torch."):
        return "a tensor of a dtype or layout that is not asked for"
    if name.startswith("a numpy array"):
        return "a numpy array of a dtype that is not asked for"
    if name in _TOLD_AS_THEY_ARE:
        return name
    return f"an object of type {name}" if name in _KNOWN_TYPES else "an object of a type that is not asked for"


_TOLD_AS_THEY_ARE = ("an integer of more than 4000 digits", "a structure nested too deeply")
_KNOWN_TYPES = {name for name, value in vars(builtins).items() if isinstance(value, type)} | {
    *("function", "method", "builtin_function_or_method", "module", "generator", "Generator", "NotImplementedType", "ellipsis"),
    *("Size", "dtype", "Linear", "Module", "Sequential", "partial", "Fraction", "Decimal", "Figure", "DataFrame", "Series"),
}


def expect(condition: bool, came: str, expected: str, hint: str = "") -> None:
    """Hold a condition that has been computed from the answer."""
    if not condition:
        raise CheckFailed(came, expected, hint)


def expect_tensor(value: Any, shape: Sequence[int], what: str) -> torch.Tensor:
    """A real floating-point tensor of this shape; a plain number is a 0-d tensor."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            value = torch.tensor(float(value), dtype=torch.float64)
        except OverflowError:
            raise CheckFailed(f"{what} came back as an integer beyond all floats", "a floating-point tensor") from None
    if not isinstance(value, torch.Tensor):
        raise CheckFailed(f"{what} as {describe(value)}", f"a tensor of shape {tuple(shape)}")
    if not value.dtype.is_floating_point:
        raise CheckFailed(f"{what} as {describe(value)}", "a floating-point tensor")
    if tuple(value.shape) != tuple(shape):
        raise CheckFailed(f"{what} as {describe(value)}", f"shape {tuple(shape)}")
    return value


def expect_pair(value: Any, names: tuple[str, str]) -> tuple[Any, Any]:
    """Two things, in a tuple, a list or a named tuple."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise CheckFailed(f"the function returned {describe(value)}", f"a pair: {names[0]} and {names[1]}, in this order")
    return value[0], value[1]


def close(actual: torch.Tensor, expected: torch.Tensor, tolerance: float) -> bool:
    """|actual - expected| <= tolerance * (|expected| + max |expected|): entries near zero are sums of terms that are not."""
    if actual.shape != expected.shape or actual.is_complex():
        return False
    a, e = actual.detach().double(), expected.detach().double()
    if e.numel() == 0:
        return True
    return bool(((a - e).abs() <= tolerance * (e.abs() + e.abs().max())).all())


def expect_close(
    actual: Any,
    expected: torch.Tensor,
    what: str,
    *,
    tolerance: float | None = None,
    mistakes: Mapping[str, torch.Tensor] | Callable[[], Mapping[str, torch.Tensor]] | None = None,
    hint: str = "",
) -> torch.Tensor:
    """A tensor that agrees with `expected`, within the tolerance of its dtype.

    `mistakes` names wrong values that are known, or makes them where the answer is wrong: they cost more than the right ones.
    """
    got = expect_tensor(actual, tuple(expected.shape), what)
    limit = tolerance if tolerance is not None else TOLERANCE[expected.dtype]
    if close(got, expected, limit):
        return got
    named = mistakes() if callable(mistakes) else mistakes or {}
    known = next((name for name, wrong in named.items() if close(got, wrong, limit)), "")
    raise CheckFailed(_difference(got, expected, limit, what), "agreement with the definition", hint, known)


def _difference(got: torch.Tensor, expected: torch.Tensor, limit: float, what: str) -> str:
    g, e = got.detach().double(), expected.detach().double()
    if not bool(torch.isfinite(g).all()):
        return f"{what}: {int((~torch.isfinite(g)).sum())} of {g.numel()} entries are NaN or infinite"
    gap = (g - e).abs()
    off = int((gap > limit * (e.abs() + e.abs().max())).sum())
    return f"{what}: {off} of {g.numel()} entries differ, by up to {float(gap.max()):.2g}"


def expect_dtype(value: torch.Tensor, dtype: torch.dtype, what: str) -> None:
    """The dtype that went in comes out."""
    expect(
        value.dtype is dtype,
        f"{what} as {describe(value)} for inputs of {str(dtype).removeprefix('torch.')}",
        "the dtype of the inputs",
    )
