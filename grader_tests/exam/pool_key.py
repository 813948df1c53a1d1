"""The instructor's key to the whole pool: every question that can be drawn, with its answer and every reason, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader_tests.exam.family import Family, Sibling, compute, fill, read_pool, shown, values_of
from grader_tests.exam.paper import MAP

_HEADINGS = {
    "right": "right",
    "wrong": "tempting and wrong",
    "lies": "lies",
    "truths": "true",
    "steps": "steps, in order",
    "items": "items",
    "cells": "entries",
}


def pool_key() -> Mapping[str, str]:
    """The files of the key, by name. Called by `./course build`."""
    return {"answer_key.md": "\n".join(_lines())}


def _lines() -> Iterator[str]:
    yield "# Key to the exam's pool"
    yield "\nEvery question that a paper can hold. Where numbers are drawn, one choice is shown, and what else they may be."
    yield f"\nThe practice paper opens with the map of the lesson: `{MAP}`."
    for family in sorted(read_pool(), key=lambda f: (int(f.slot[1:]), f.name)):
        yield f"\n## {family.slot}, {family.name}: {family.about}\n\n*{family.kind}; from: {family.source}*"
        for number, sibling in enumerate(family.siblings, start=1):
            yield from _sibling_lines(family, number, sibling)


def _sibling_lines(family: Family, number: int, sibling: Sibling) -> Iterator[str]:
    drawn = next(sibling.all_numbers())
    values = values_of(sibling, drawn)
    yield f"\n### {family.name}/{number}\n\n{fill(sibling.text, values)}\n"
    if sibling.numbers:
        others = "; ".join(f"{name} from {', '.join(map(shown, choices))}" for name, choices in sibling.numbers.items())
        yield f"*Drawn: {others}.*\n"
    if sibling.answer:
        yield f"**{shown(compute(sibling.answer, drawn))}** (within ±{sibling.tolerance:g}). {fill(sibling.why, values)}\n"
    for name, parts in sibling.lists.items():
        yield f"{_HEADINGS[name]}:\n"
        for i, part in enumerate(parts, start=1):
            value = f" **{shown(compute(part.answer, drawn))}**" if part.answer else ""
            choice = f" **{part.choice}**" if part.choice else ""
            text = fill(part.text, values)
            yield f"{i}. {text}{':' if text and (value or choice) else ''}{value}{choice} ({fill(part.why, values)})"
        yield ""
