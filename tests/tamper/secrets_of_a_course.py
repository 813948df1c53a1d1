"""What must stand in nothing that a student reads: secrets, places, names, hidden numbers, the grader's own lines."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from grading.course import Plan
from grading.notebooks import write
from grading.runners import LocalRunner, LocalStay, Stay
from grading.score import score
from grading.submission import Submission
from grading.wire import Frame
from tests.tamper.cohort import REPOSITORY
from tests.tamper.notebooks import base_notebook

# Attacks print this word, put together when they run, in front of whatever they have got hold of.
MARKER = "LEAKED"
_NUMBER = re.compile(r"\d+\.\d{8,}")
_LONG_LINE = 40  # characters; shorter lines are what any code may say


class RecordingStay(LocalStay):
    """Notes every float64 number that the grader sends and gets."""

    numbers: set[str]

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        frame = super().ask(header, blob)
        self.numbers |= {*_numbers_in(header, blob), *_numbers_in(frame.header, frame.blob)}
        return frame


class RecordingRunner(LocalRunner):
    """Runs in this process and keeps the numbers of all its stays."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: set[str] = set()

    def open(self, cells: Any, files: Any, limits: Any) -> Stay:
        stay = RecordingStay(cells, files)
        stay.numbers = self.numbers
        return stay


def _numbers_in(form: Any, blob: bytes) -> Iterator[str]:
    if isinstance(form, dict) and form.get("dtype") == "float64":
        values = np.frombuffer(blob, np.float64, form["size"] // 8, form["at"])
        yield from (number for value in values for number in long_numbers(repr(abs(float(value)))))
    elif isinstance(form, (dict, list)):
        for part in form.values() if isinstance(form, dict) else form:
            yield from _numbers_in(part, blob)


def long_numbers(text: str) -> set[str]:
    """Numbers with at least eight decimals, cut there: so many digits are no coincidence."""
    return {found[: found.index(".") + 9] for found in _NUMBER.findall(text)}


def hidden_numbers(plan: Plan, seed: int) -> frozenset[str]:
    """Hidden inputs and expected values: what the checks of a run send to right answers, and what those answer."""
    runner = RecordingRunner()
    score(Submission("someone", plan.assignment.name, write(base_notebook("solved")).encode()), plan, runner, seed)
    assert len(runner.numbers) > 1000
    return frozenset(runner.numbers)


@cache
def grader_lines() -> frozenset[str]:
    """Lines of the checks, of the machine and of hidden regions; what runs beside student code is no secret."""
    paths = [*(REPOSITORY / "grader_tests").rglob("*.py"), *(REPOSITORY / "grading").rglob("*.py")]
    texts = [path.read_text() for path in paths if "inside" not in path.parts]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return frozenset(
        {line for line in lines if len(line) >= _LONG_LINE} | {"### BEGIN HIDDEN TESTS", "from grader_tests import check"}
    )


@cache
def solution_lines() -> frozenset[str]:
    """Lines of the instructor's solutions that the released notebook does not hold."""
    solved, released = (lines_of(write(base_notebook(name))) for name in ("solved", "release"))
    return frozenset(line for line in solved - released if len(line) >= _LONG_LINE)


def lines_of(text: str) -> set[str]:
    """The lines of a text, of the strings in it if it is JSON, or of what a page shows if it is HTML."""
    if text.startswith("{"):
        return {line.strip() for string in _strings(json.loads(text)) for line in string.splitlines()}
    shown = html.unescape(re.sub(r"<[^>]*>", "", text))
    return {line.strip() for line in shown.splitlines()}


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


@dataclass(frozen=True)
class Secrets:
    """Everything that must not be told, and to whom."""

    words: Mapping[str, str]  # what it is, by the text
    students: tuple[str, ...]
    numbers: frozenset[str]

    def found_in(self, text: str, own: str, handed_in: str) -> list[str]:
        """What a text for the student `own` tells; what they handed in themselves, they may read again."""
        lines = lines_of(text)
        known = lines_of(handed_in) if handed_in else set()
        found = [told for word, told in self.words.items() if word in text]
        found += [f"the name of {name}" for name in self.students if name != own and name in text]
        found += [f"the hidden number {n}" for n in sorted(long_numbers(text) & self.numbers - long_numbers(handed_in))[:3]]
        found += [f"a line of the grader: {line}" for line in lines & grader_lines() - known]
        found += [f"a line of the solution: {line}" for line in lines & solution_lines() - known]
        return found
