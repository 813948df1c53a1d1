"""Nothing of the instructor's reaches a student: words, hidden lines, and solutions copied somewhere else."""

from __future__ import annotations

import copy

import pytest

from grading.build import release_notebook
from grading.course import Plan
from grading.leaks import bare, release_faults, solution_regions
from grading.notebooks import grade_id


def test_the_real_release_shows_nothing(plan: Plan) -> None:
    source = plan.blueprint.notebook
    assert list(release_faults("m1", source, release_notebook(source), {})) == []
    assert {"attention_answer", "additive_scores_answer", "m1_claims_answer"} <= dict(solution_regions(source)).keys()


@pytest.mark.parametrize("sign", ["", "# ", "    "])
def test_a_solution_that_was_copied_into_a_given_cell_or_file_is_named(plan: Plan, sign: str) -> None:
    source = copy.deepcopy(plan.blueprint.notebook)
    solution = dict(solution_regions(source))["attention_answer"]
    copied = "\n".join(sign + line for line in solution.splitlines())
    given = next(cell for cell in source.cells if cell.cell_type == "code" and not grade_id(cell))
    given.source += "\n\n" + copied
    faults = list(release_faults("m1", source, release_notebook(source), {"notes.py": copied.encode()}))
    assert faults == [
        f"m1: the cell {given.id!r} would be released with the solution of 'attention_answer' in it",
        "m1: the file notes.py would be released with the solution of 'attention_answer' in it",
    ]


@pytest.mark.parametrize("word", ["BEGIN SOLUTION", "END HIDDEN TESTS", "grader_tests"])
def test_a_forbidden_word_in_a_given_file_is_named(plan: Plan, word: str) -> None:
    released = release_notebook(plan.blueprint.notebook)
    faults = list(release_faults("m1", plan.blueprint.notebook, released, {"data.py": f"x = 1  # {word}".encode()}))
    assert faults == [f"m1: the file data.py would be released with {word!r} in it"]


def test_text_is_bare_without_signs_of_a_comment() -> None:
    assert bare("  # a = 1\n\n\tb = 2  \n") == "a = 1\nb = 2"
