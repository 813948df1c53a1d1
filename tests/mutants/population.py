"""All mutants of an assignment: one fault in one graded answer of the solved notebook."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grading.course import Plan
from grading.notebooks import grade_id, is_answer, write
from grading.submission import Submission
from tests.mutants.texts import TextMutant, text_mutants

Key = tuple[str, str, str, int]
_SUFFIX = "_answer"


@dataclass(frozen=True)
class Mutant:
    """A solved notebook with one fault in one answer cell; `cell` is the grade id of the graded cell that belongs to it."""

    assignment: str
    cell: str
    fault: TextMutant

    @property
    def key(self) -> Key:
        """What an entry of the equivalents names it by: nothing of it changes with what is edited elsewhere."""
        return self.fault.function, self.fault.was, self.fault.becomes, self.fault.number

    @property
    def identity(self) -> str:
        """The same for people, with the kind."""
        fault = self.fault
        number = f" #{fault.number}" if fault.number > 1 else ""
        return f"{fault.function}.{fault.kind}: {fault.was} -> {fault.becomes}{number}"

    def submission(self, plan: Plan, files: Mapping[str, bytes]) -> Submission:
        """What a student would have handed in who made this one mistake; `files` lie beside the notebook."""
        notebook = copy.deepcopy(plan.blueprint.notebook)
        cell = next(cell for cell in notebook.cells if grade_id(cell) == self.cell + _SUFFIX)
        cell.source = self.fault.text
        return Submission("mutant", self.assignment, write(notebook).encode(), files=files)


def mutants_of(plan: Plan) -> list[Mutant]:
    """The mutants of all answers that checks decide about, in the notebook's order; predictions and galleries carry no points."""
    return [Mutant(plan.assignment.name, cell, fault) for cell, text in answers_of(plan) for fault in text_mutants(text, cell)]


def answers_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """Graded cells and the solved text of their answers: of an answer cell `attention_answer` the graded cell is `attention`."""
    graded = set(plan.blueprint.graded)
    for cell in plan.blueprint.notebook.cells:
        name = grade_id(cell) or ""
        if cell.cell_type == "code" and is_answer(cell) and name.removesuffix(_SUFFIX) in graded:
            yield name.removesuffix(_SUFFIX), cell.source
