"""What a student wrote as an answer, read in every form that leaves no doubt; nothing is ever evaluated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from grading.wire import Opaque

# A letter alone, or before what ends a label: "b", " B ", "B.", "(b)", "option b", "B) the text of the option".
_LETTER = re.compile(r"(?:\s*[Oo]ption\s+)?\W{0,3}([A-Za-z])(?:\s*[.):]\s*.*|\W{0,3})", re.DOTALL)
_BETWEEN = re.compile(r"(?:\band\b|[\s,;/&+<>→()\[\]{}'\"-])+", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")


class NotUnderstood(Exception):
    """The answer has a form that this question does not ask for; the message says what came."""


def is_empty(value: Any) -> bool:
    """Whether nothing was answered: None, a blank text, an ellipsis, or nothing in a list."""
    if isinstance(value, str):
        return not value.strip(" \t\n.?_-")
    if isinstance(value, (list, tuple, dict)):
        return all(is_empty(item) for item in (value.values() if isinstance(value, dict) else value))
    return value is None or (isinstance(value, Opaque) and value.type_name == "ellipsis")


def letter(value: Any, allowed: Sequence[str]) -> str:
    """One letter. Raises NotUnderstood."""
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return letter(value[0], allowed)
    if isinstance(value, dict) and (chosen := _ticked(value)) and len(chosen) == 1:
        return letter(chosen[0], allowed)
    match = _LETTER.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[1].upper() not in allowed:
        raise NotUnderstood(f"{_told(value)} where one letter from {allowed[0]} to {allowed[-1]} was asked for")
    return match[1].upper()


def letters(value: Any, allowed: Sequence[str]) -> list[str]:
    """Letters in the order written: a text such as "ACB", "a, c, b" or a list. Raises NotUnderstood."""
    if isinstance(value, dict):
        value = _ticked(value)
    if isinstance(value, str):
        bare = _BETWEEN.sub("", value).upper()
        found = list(bare) if bare and set(bare) <= set(allowed) else [letter(value, allowed)]
    elif isinstance(value, (list, tuple)) and len(value) == 1:
        return letters(value[0], allowed)
    elif isinstance(value, (list, tuple)):
        found = [letter(item, allowed) for item in value]
    else:
        raise NotUnderstood(f"{_told(value)} where letters were asked for")
    return list(dict.fromkeys(found))


def order(value: Any, allowed: Sequence[str]) -> list[str]:
    """Letters in the order of their places, in a form that `letters` reads or as a dict from the places, counted from 1.

    Raises NotUnderstood.
    """
    if isinstance(value, str) and (places := re.findall(r"([1-9])\s*[.:)]\s*([A-Za-z])\b", value)):
        value = dict(places)
    if not isinstance(value, dict):
        return letters(value, allowed)
    by_place = {_row_of(key): item for key, item in value.items()}
    every = [str(place) for place in range(1, len(allowed) + 1)]
    if len(value) != len(every) or set(by_place) != set(every):
        raise NotUnderstood(
            f"a dict whose keys are not the places 1 to {len(allowed)}, where letters in their order were asked for"
        )
    return letters([by_place[place] for place in every], allowed)


def _ticked(value: Mapping[Any, Any]) -> list[Any]:
    """The keys of a dict that ticks options: {"A": True, "B": False}."""
    return [key for key, ticked in value.items() if ticked is True or (type(ticked) is int and ticked == 1)]


def number(value: Any, *, whole: bool = False) -> float:
    """A number: Python's, numpy's, a tensor of one element, or a text such as "0.25" or "1/4". Raises NotUnderstood.

    Where it is to be `whole`, a comma can only part thousands: "1,802,240" is read, and so is the tuple that 1,802,240 makes.
    """
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return number(value[0], whole=whole)
    if whole and isinstance(value, tuple) and _is_grouped(value):
        return number("".join(map(str, value)))
    if whole and isinstance(value, str) and _GROUPED.fullmatch(value.strip()):
        return number(value.replace(",", ""))
    if isinstance(value, (torch.Tensor, np.ndarray)) and math.prod(value.shape) == 1 and not _is_complex(value):
        return float(value.item())
    if isinstance(value, str):
        return _number_in(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise NotUnderstood(f"{_told(value)} where a number was asked for")


def _is_grouped(value: tuple[Any, ...]) -> bool:
    """Whether a tuple is what a number with its thousands parted by commas makes. A group such as 024 cannot be written in
    Python, and 000 cannot be told from 0."""
    if not all(type(group) is int for group in value):
        return False
    return bool(value) and 1 <= abs(value[0]) <= 999 and all(100 <= group <= 999 for group in value[1:])


def _number_in(text: str) -> float:
    """The number that a text spells, as a decimal or as a fraction of whole numbers. Raises NotUnderstood."""
    bare = re.sub(r"\s", "", text).lstrip("~≈=")
    if fraction := re.fullmatch(r"([+-]?\d{1,15})/(\d{1,15})", bare):
        return int(fraction[1]) / max(int(fraction[2]), 1)
    try:
        return float(bare)
    except ValueError:
        raise NotUnderstood(f"{_told(text)} where a number was asked for") from None


def _is_complex(value: torch.Tensor | np.ndarray[Any, Any]) -> bool:
    return value.is_complex() if isinstance(value, torch.Tensor) else np.iscomplexobj(value)


def shape(value: Any) -> tuple[int, ...]:
    """A shape: a tuple or list of whole numbers, a torch.Size, a one-dimensional tensor, or a text. Raises NotUnderstood."""
    if isinstance(value, (torch.Tensor, np.ndarray)) and value.ndim == 1 and value.shape[0] <= 10:
        value = value.tolist()
    if isinstance(value, str) and len(value) < 100:
        bare = re.fullmatch(r"\s*(?:torch\.Size)?[\s(\[]*(\d{1,9}(?:\s*[,x×*\s]\s*\d{1,9})*)\s*,?[\s)\]]*", value)
        value = [int(n) for n in re.findall(r"\d+", bare[1])] if bare else value
    if isinstance(value, (list, tuple)) and value:
        sizes = [number(item) for item in value]
        if all(size == int(size) for size in sizes if math.isfinite(size)) and all(map(math.isfinite, sizes)):
            return tuple(int(size) for size in sizes)
    raise NotUnderstood(f"{_told(value)} where a shape was asked for")


def rows(value: Any, labels: Sequence[str]) -> dict[str, Any]:
    """The part of an answer that belongs to each row, of those that have one: from a dict with the rows' numbers as keys, or a
    list or a text in their order. Raises NotUnderstood."""
    if isinstance(value, dict):
        return dict(_numbered(value, labels)) or _refuse_rows(value, labels)
    if isinstance(value, (torch.Tensor, np.ndarray)) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, str):
        pairs = re.findall(r"([1-9])\s*[:=.)→-]*>?\s*([A-Za-z])", value)
        parts = dict(pairs) if pairs else list(_BETWEEN.sub("", value))
        return rows(parts, labels) if pairs or len(parts) == len(labels) else _refuse_rows(value, labels)
    if isinstance(value, (list, tuple)) and value and all(_is_named(item, labels) for item in value):
        return rows(dict(value), labels) if len(dict(value)) == len(value) else _refuse_rows(value, labels)
    if isinstance(value, (list, tuple)) and len(value) == len(labels):
        return {label: item for label, item in zip(labels, value, strict=True) if not is_empty(item)}
    return _refuse_rows(value, labels)


def _is_named(item: Any, labels: Sequence[str]) -> bool:
    """Whether something is a pair of a row and a text; a pair of numbers may be a shape."""
    return type(item) in (list, tuple) and len(item) == 2 and _row_of(item[0]) in labels and isinstance(item[1], str)


def matched(value: Any, labels: Sequence[str], allowed: Sequence[str]) -> dict[str, Any]:
    """The entry of each row of a matching question: in a form that `rows` reads, or a dict from letters to their rows, such as
    {"A": [1, 4], "B": 2, "C": 3}. Raises NotUnderstood."""
    if not isinstance(value, dict) or not all(_row_of(key).upper() in tuple(allowed) for key in value):
        return rows(value, labels)
    found: dict[str, str] = {}
    for key, under in value.items():
        for label in _labels_in(under):
            if label in found:
                raise NotUnderstood("a dict from letters to rows with a row under two letters")
            if label not in labels:
                raise NotUnderstood(
                    f"a dict from letters to rows with something that is not one of the rows {labels[0]} to {labels[-1]}"
                )
            found[label] = _row_of(key).upper()
    return found


def _labels_in(under: Any) -> list[str]:
    """The rows that a letter has: one, a list, or a text such as "1, 4"."""
    if isinstance(under, str):
        return list(_BETWEEN.sub("", under))
    if isinstance(under, (torch.Tensor, np.ndarray)) and under.ndim == 1:
        under = under.tolist()
    return [] if is_empty(under) else [_row_of(item) for item in (under if isinstance(under, (list, tuple)) else [under])]


def _refuse_rows(value: Any, labels: Sequence[str]) -> dict[str, Any]:
    raise NotUnderstood(f"{_told(value)} where an entry for each of the rows {labels[0]} to {labels[-1]} was asked for")


def _numbered(value: Mapping[Any, Any], labels: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        if _row_of(key) in labels and not is_empty(item):
            yield _row_of(key), item


def _row_of(key: Any) -> str:
    """The number of a row or place, or the letter, that a key of a dict gives."""
    if type(key) in (int, float) and key in range(1, 10):
        return str(int(key))
    return key.strip(" .()") if isinstance(key, str) else ""


def _told(value: Any) -> str:
    """What came back, in words; short texts and numbers as they are."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, (bool, int, float)):
        return f"the value {str(value)[:40]}"
    kinds = {torch.Tensor: "a tensor", np.ndarray: "an array", dict: "a dict", list: "a list", tuple: "a tuple"}
    return next((word for kind, word in kinds.items() if isinstance(value, kind)), "an object of a type that is not asked for")
