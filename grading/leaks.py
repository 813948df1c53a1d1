"""What must not reach a student: hidden lines, markers, and solutions that were copied into what is released. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nbformat.notebooknode import NotebookNode

from grading.notebooks import grade_id, is_answer

_WORDS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS", "grader_tests")
_SHORTEST = 40  # characters; shorter solutions are what any code may say, such as `return weights @ V`


def release_faults(name: str, source: NotebookNode, released: NotebookNode, given: Mapping[str, bytes]) -> Iterator[str]:
    """Everything of the instructor's that a release would show, by cell or file."""
    texts = {f"the cell {grade_id(cell) or cell.get('id')!r}": cell.source for cell in released.cells}
    texts |= {f"the file {file}": content.decode("utf-8", "replace") for file, content in given.items()}
    solutions = dict(solution_regions(source))
    for where, text in texts.items():
        for word in _WORDS:
            if word in text:
                yield f"{name}: {where} would be released with {word!r} in it"
        for cell, solution in solutions.items():
            if len(solution) >= _SHORTEST and solution in bare(text):
                yield f"{name}: {where} would be released with the solution of {cell!r} in it"


def solution_regions(source: NotebookNode) -> Iterator[tuple[str, str]]:
    """Each answer cell's grade id and its solution, bare."""
    for cell in source.cells:
        if is_answer(cell) and "BEGIN SOLUTION" in cell.source:
            inside = cell.source.split("BEGIN SOLUTION", 1)[1].split("END SOLUTION", 1)[0]
            yield grade_id(cell) or cell.get("id", "?"), bare("\n".join(inside.splitlines()[1:-1]))


def bare(text: str) -> str:
    """Text without indentation, comment signs and blank lines: a solution that is commented out is a solution."""
    lines = (line.strip().lstrip("#").strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
