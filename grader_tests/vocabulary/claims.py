"""CLAIMS: a dict from labels to truth values, one point for all right and half for all but one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from grading.expectations import expect
from grading.student import Student


def claims_right(student: Student, key: Mapping[str, bool]) -> int:
    """How many claims are judged rightly; each must be a truth value, not a text."""
    claims = student.read("CLAIMS")
    expect(isinstance(claims, dict), "CLAIMS is no dict", "a dict from the labels A to H to True or False")
    missing = [label for label in key if label not in claims]
    expect(len(missing) < len(key), f"CLAIMS has none of the labels {', '.join(key)}", "a dict with these labels")
    return sum(truth_value(claims.get(label)) is right for label, right in key.items())


def truth_value(value: Any) -> bool | None:
    """True or False for a bool, 0 or 1, or a 0-d tensor of these; None for anything else."""
    if isinstance(value, Tensor) and value.numel() == 1:
        value = value.item()
    return bool(value) if isinstance(value, (bool, int, float)) and value in (0, 1) else None
