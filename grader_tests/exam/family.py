"""A family of questions: one TOML file of the pool, read and held to its form."""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grader_tests.exam.kinds import BINS, KINDS

POOL = Path(__file__).parent / "pool"
Value = int | float | str | tuple[int, ...]
_PLACE = re.compile(r"<<(\w+)>>")


class FaultyFamily(Exception):
    """A file of the pool is not as it must be; the message names the file, the sibling and the fault."""


@dataclass(frozen=True)
class Part:
    """An option, a step, an item or a cell: its text, and why (it tempts, or is right); the rest belongs to some kinds only."""

    text: str
    why: str
    choice: str = ""
    answer: str = ""
    tolerance: float = 0.0


@dataclass(frozen=True)
class Sibling:
    """One question of a family, before its numbers are drawn: texts hold places such as <<d_k>> for them.

    `numbers` are the values that each may take; `derived` names a function for each value computed from them. `lists` holds the
    parts, by the list's name. `apart` names families, or single questions of them as `family/2`, that would answer this one.
    """

    text: str
    numbers: Mapping[str, tuple[Value, ...]]
    derived: Mapping[str, str]
    lists: Mapping[str, tuple[Part, ...]]
    answer: str = ""
    tolerance: float = 0.0
    why: str = ""
    choices: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    def all_numbers(self) -> Iterator[dict[str, Value]]:
        """Every choice of the numbers that can be drawn."""
        for chosen in itertools.product(*self.numbers.values()):
            yield dict(zip(self.numbers, chosen, strict=True))


@dataclass(frozen=True)
class Family:
    """Questions about one thing, of one kind and like difficulty: a paper holds one sibling at most."""

    name: str
    kind: str
    slot: str
    about: str
    source: str
    siblings: tuple[Sibling, ...]


def read_family(path: Path) -> Family:
    """The family in a file. Raises FaultyFamily."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FaultyFamily(f"{path.name}: {error}") from error
    where = path.name
    _keys(content, {"kind", "slot", "about", "source", "siblings"}, set(), where)
    words = {key: _text(content[key], f"{where}: {key}") for key in ("kind", "slot", "about", "source")}
    if words["kind"] not in KINDS:
        raise FaultyFamily(f"{where}: the kind {words['kind']!r} is none of {', '.join(KINDS)}")
    if not re.fullmatch(r"A([1-9]|1[0-5])", words["slot"]):
        raise FaultyFamily(f"{where}: the slot {words['slot']!r} is none of A1 to A15")
    siblings = _list(content["siblings"], f"{where}: siblings", 2, None)
    read = tuple(_sibling(one, words["kind"], f"{where}, sibling {i}") for i, one in enumerate(siblings, start=1))
    return Family(path.stem, siblings=read, **words)


def _sibling(content: dict[str, Any], kind: str, where: str) -> Sibling:
    form = KINDS[kind]
    _keys(content, {"text", *form.fields, *form.lists}, {"numbers", "derived", "apart"}, where)
    numbers = {name: _choices(v, f"{where}: numbers.{name}") for name, v in _table(content, "numbers", where).items()}
    derived = {name: _text(v, f"{where}: derived.{name}") for name, v in _table(content, "derived", where).items()}
    lists = {name: _parts(content[name], kind, name, f"{where}, {name}") for name in form.lists}
    sibling = Sibling(
        text=_text(content["text"], f"{where}: text"),
        numbers=numbers,
        derived=derived,
        lists=lists,
        answer=content.get("answer", ""),
        tolerance=_tolerance(content, where),
        why=_text(content["why"], f"{where}: why") if "why" in content else "",
        choices=tuple(_text(c, f"{where}: choices") for c in content.get("choices", ())),
        apart=tuple(_text(name, f"{where}: apart") for name in content.get("apart", ())),
    )
    _hold_together(sibling, kind, where)
    return sibling


def _hold_together(sibling: Sibling, kind: str, where: str) -> None:
    """What no single key can be held to: places, functions, choices."""
    parts = [part for parts in sibling.lists.values() for part in parts]
    texts = [sibling.text, sibling.why, *sibling.choices, *(t for part in parts for t in (part.text, part.why))]
    used, known = {place for text in texts for place in _PLACE.findall(text)}, {*sibling.numbers, *sibling.derived}
    if unknown := used - known:
        raise FaultyFamily(f"{where}: <<{min(unknown)}>> is neither among numbers nor among derived")
    functions = [sibling.answer, *sibling.derived.values(), *(part.answer for part in parts)]
    for name in filter(None, functions):
        asked = set(inspect.signature(function(name, where)).parameters)
        if missing := asked - set(sibling.numbers):
            raise FaultyFamily(f"{where}: {name} asks for {min(missing)}, which is not among numbers")
        used |= asked
    if idle := set(sibling.numbers) - used:
        raise FaultyFamily(f"{where}: the number {min(idle)} is used nowhere")
    if kind == "match" and (len(sibling.choices) != BINS or {part.choice for part in parts} != set(sibling.choices)):
        raise FaultyFamily(f"{where}: there must be {BINS} choices, and each must be the choice of some item")


def _parts(content: Any, kind: str, name: str, where: str) -> tuple[Part, ...]:
    form = KINDS[kind]
    parts = []
    for i, one in enumerate(_list(content, where, *form.lists[name]), start=1):
        here = f"{where} {i}"
        extra = {"answer"} if kind == "numeric" else set(form.parts)
        needed = {"why", *extra} if kind == "numeric" else {"text", "why", *extra}
        _keys(one, needed, set(), here)
        words = {key: _text(one[key], f"{here}: {key}") for key in needed - {"tolerance"}}
        parts.append(Part(words.pop("text", ""), tolerance=_tolerance(one, here), **words))
    texts = [part.text or part.answer for part in parts]
    if len(set(texts)) < len(texts):
        raise FaultyFamily(f"{where}: two of them are equal")
    return tuple(parts)


def _keys(content: Any, needed: set[str], allowed: set[str], where: str) -> None:
    if not isinstance(content, dict):
        raise FaultyFamily(f"{where}: a table is needed here")
    if missing := needed - content.keys():
        raise FaultyFamily(f"{where}: {min(missing)} is missing")
    if unknown := content.keys() - needed - allowed:
        raise FaultyFamily(f"{where}: {min(unknown)} is not known here; known are {', '.join(sorted(needed | allowed))}")


def _list(content: Any, where: str, least: int, most: int | None) -> list[Any]:
    if not isinstance(content, list) or len(content) < least or (most is not None and len(content) > most):
        wanted = f"at least {least}" if most is None else f"exactly {least}" if most == least else f"{least} to {most}"
        raise FaultyFamily(f"{where}: {wanted} are needed")
    return content


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FaultyFamily(f"{where} must be a text that is not empty")
    return value.strip()


def _table(content: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    found = content.get(key, {})
    if not isinstance(found, dict):
        raise FaultyFamily(f"{where}: {key} must be a table")
    return found


def _choices(values: Any, where: str) -> tuple[Value, ...]:
    if not isinstance(values, list) or not values or not all(type(v) in (int, float, str) for v in values):
        raise FaultyFamily(f"{where} must be a list of numbers or words to draw from")
    return tuple(values)


def _tolerance(content: dict[str, Any], where: str) -> float:
    """Absolute, in the unit of the answer; 0 where the answer is a whole number, a shape or a word."""
    value = content.get("tolerance", 0.0)
    if type(value) not in (int, float) or value < 0:
        raise FaultyFamily(f"{where}: tolerance must be a number that is not negative")
    return float(value)


def function(name: str, where: str = "") -> Callable[..., Value]:
    """A function of `grader_tests.exam.formulas`, named `module.function`. Raises FaultyFamily."""
    module, _, called = name.partition(".")
    try:
        found: Callable[..., Value] = getattr(importlib.import_module(f"grader_tests.exam.formulas.{module}"), called)
    except (ImportError, AttributeError, ValueError) as error:
        raise FaultyFamily(f"{where}: there is no function {name!r} in grader_tests/exam/formulas/") from error
    return found


def compute(name: str, numbers: Mapping[str, Value]) -> Value:
    """The value of a formula at drawn numbers."""
    called = function(name)
    return called(**{parameter: numbers[parameter] for parameter in inspect.signature(called).parameters})


def fill(text: str, values: Mapping[str, Value]) -> str:
    """A text with its places filled."""
    return _PLACE.sub(lambda place: shown(values[place[1]]), text)


def values_of(sibling: Sibling, numbers: Mapping[str, Value]) -> dict[str, Value]:
    """Drawn numbers, and what is derived from them."""
    return {**numbers, **{name: compute(formula, numbers) for name, formula in sibling.derived.items()}}


def shown(value: Value) -> str:
    """A value as it stands in a text: floats with at most four significant digits, whole numbers as they are."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


@cache
def read_pool() -> tuple[Family, ...]:
    """All families, by name. Raises FaultyFamily."""
    return tuple(read_family(path) for path in sorted(POOL.glob("*.toml")))
