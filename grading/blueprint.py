"""An assignment's source notebook, and what must be known of it to take a student's notebook apart. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from nbformat.notebooknode import NotebookNode

from grading.notebooks import grade_id, is_answer, is_machine_graded, released, visible_text


@dataclass(frozen=True)
class Blueprint:
    """An assignment's source notebook, and what must be known of it to take a student's notebook apart."""

    notebook: NotebookNode

    @cached_property
    def released(self) -> NotebookNode:
        """The notebook as students get it, cell by cell like the source."""
        return released(self.notebook)

    @cached_property
    def by_grade_id(self) -> Mapping[str, int]:
        """Positions of cells with a grade id."""
        return {g: i for i, cell in enumerate(self.notebook.cells) if (g := grade_id(cell))}

    @cached_property
    def by_id(self) -> Mapping[str, int]:
        """Positions of cells by notebook cell id."""
        return {cell.id: i for i, cell in enumerate(self.notebook.cells)}

    @cached_property
    def by_text(self) -> Mapping[str, int]:
        """Positions of cells by their text, as in the source and as released; of equal texts the first."""
        texts: dict[str, int] = {}
        for position, known in enumerate(self.texts):
            for text in known:
                texts.setdefault(text, position)
        return texts

    @cached_property
    def texts(self) -> Sequence[frozenset[str]]:
        """By position, the texts under which a cell is no news. A solved answer is news, only its stub is not."""
        pairs = zip(self.notebook.cells, self.released.cells, strict=True)
        return [
            frozenset(
                {normal(given.source), *(() if is_answer(cell) else (normal(cell.source), normal(visible_text(cell.source))))}
            )
            for cell, given in pairs
        ]

    @cached_property
    def marks(self) -> Mapping[str, Mapping[str, str]]:
        """What nbgrader writes into a released cell's metadata, by grade id: its checksum and its type."""
        from nbgrader.utils import compute_checksum

        return {
            g: {"checksum": compute_checksum(cell), "cell_type": cell.cell_type}
            for cell in self.released.cells
            if (g := grade_id(cell))
        }

    @property
    def answers(self) -> tuple[str, ...]:
        """Grade ids of the cells that students write in, in order."""
        return tuple(g for cell in self.notebook.cells if is_answer(cell) and (g := grade_id(cell)))

    @property
    def graded(self) -> tuple[str, ...]:
        """Grade ids of the cells that a machine grades, in order."""
        return tuple(g for cell in self.notebook.cells if is_machine_graded(cell) and (g := grade_id(cell)))


def normal(text: str) -> str:
    """Text without the differences that no one means: line ends, blanks at ends of lines, blank lines around."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
