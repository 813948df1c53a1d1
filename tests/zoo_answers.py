"""The zoo: answers, what each must earn by cell, and which checks it says that it fails."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grading.course import Plan, find_course, solved_files
from tests.zoo_files import Files, files_beside

ZOO = Path(__file__).parent / "zoo"


@dataclass(frozen=True)
class Answer:
    """One file of the zoo."""

    path: Path
    text: str
    lines: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.path.name.startswith("right_")

    def expected(self, plan: Plan) -> Mapping[str, float]:
        """Points by cell, from the docstring's second line: "all", or the cells that fall short of full marks."""
        points = dict(plan.assignment.points)
        word, _, listed = self.lines[1].partition(": ")
        assert word == "points", f"{self.path.name}: the second line of its docstring must say the points"
        for part in listed.split(", ") if listed != "all" else []:
            cell, earned = part.split(" ")
            assert cell in points, f"{self.path.name}: there is no cell {cell}"
            points[cell] = float(earned)
        return points

    def meant_to_fail(self, plan: Plan) -> set[str]:
        """Checks that the docstring says the answer fails: names that stand after the word Fails, to the end of the sentence."""
        said = " ".join(re.findall(r"\bFails? ([^.]*)", " ".join(self.lines[2:])))
        return {check.name for check in plan.assignment.checks if re.search(rf"\b{check.name}\b", said)}

    def files(self, plan: Plan) -> Files:
        """What is handed in beside the notebook: the solved files, or what the docstring says in a line "hands in: …"."""
        said = next((line.partition(": ")[2] for line in self.lines if line.startswith("hands in: ")), "")
        return files_beside(said, solved_files(find_course(), plan.assignment))


def read_zoo(assignment: str) -> list[Answer]:
    """All answers to an assignment, by name."""
    answers = []
    for path in sorted((ZOO / assignment).glob("*.py")):
        text = path.read_text()
        docstring = ast.get_docstring(ast.parse(text)) or ""
        answers.append(Answer(path, text, tuple(docstring.splitlines())))
    return answers
