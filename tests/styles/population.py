"""Solved cells in other styles, put together to submissions, and judged."""

from __future__ import annotations

import ast
import copy
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from nbformat.notebooknode import NotebookNode

from grading.course import Plan, find_course, solved_files
from grading.notebooks import grade_id, is_answer, is_machine_graded, write
from grading.submission import Submission
from grading.trial import own_cell
from grading.verdict import Result, Verdict
from tests.styles import calls, classes, functions, habits, layout, names, products, statements, steps, values

Style = Callable[[str], str]
Score = Callable[[Submission], Result]
THEMES = (names, calls, products, functions, statements, steps, habits, layout, classes, values)
STYLES: Mapping[str, Style] = {style.__name__: style for theme in THEMES for style in theme.STYLES}
_MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")
_PIECES = (layout.OWN_CELL, layout.ANSWER_CELL)
_LAST = (  # no Python any more, or nothing runs below, or the text stands in several cells
    layout.with_magic_lines,
    layout.with_a_failing_line_below,
    habits.timed_by_magic,
    habits.captured_by_magic,
    habits.interrupted_by_assertions,
    layout.in_an_own_cell_before,
    layout.in_an_own_cell_after,
)


@dataclass(frozen=True)
class Styled:
    """A submission: the texts of its styled cells by grade id, and the styles that each has gone through."""

    assignment: str
    texts: Mapping[str, str]
    styles: Mapping[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        """The style's name, or those of a composition cell by cell."""
        chains = {" + ".join(chain) for chain in self.styles.values()}
        return chains.pop() if len(chains) == 1 else "; ".join(f"{c}: {' + '.join(s)}" for c, s in sorted(self.styles.items()))

    def only(self, cells: Sequence[str]) -> Styled:
        """The same with some of the cells alone."""
        return replace(self, texts={c: self.texts[c] for c in cells}, styles={c: self.styles[c] for c in cells})


@dataclass(frozen=True)
class Judged:
    """A styled submission, and what it lost: check by check, verdict and message."""

    styled: Styled
    lost: Mapping[str, str]
    seconds: float


def solved_cells(plan: Plan) -> dict[str, str]:
    """The solution's text of every answer cell that a machine-graded cell comes after, by grade id."""
    cells = [cell for cell in plan.blueprint.notebook.cells if cell.cell_type == "code"]
    found = {}
    for cell, following in pairwise(cells):
        if is_answer(cell) and is_machine_graded(following):
            found[str(grade_id(cell))] = without_marks(cell.source)
    return found


def without_marks(text: str) -> str:
    """A solved cell as a student would have it."""
    return "\n".join(line for line in text.splitlines() if line.strip() not in _MARKS) + "\n"


def is_python(text: str) -> bool:
    """Whether the text can be parsed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True


def changed(style: Style, text: str) -> str | None:
    """The text in a style; None where that changes nothing."""
    if not is_python(text):
        return None
    new = style(text)
    return None if new == text else new


def single_styles(plan: Plan, chosen: Sequence[str] = tuple(STYLES)) -> Iterator[Styled]:
    """A submission for each style: all cells that it changes."""
    cells = solved_cells(plan)
    for name in chosen:
        texts = {cell: new for cell, text in cells.items() if (new := changed(STYLES[name], text)) is not None}
        if texts:
            yield Styled(plan.assignment.name, texts, dict.fromkeys(texts, (name,)))


def packed_styles(plan: Plan, chosen: Sequence[str] = tuple(STYLES)) -> Iterator[Styled]:
    """Each style once, in the cell that has had the fewest so far: a submission has as many styles as cells."""
    cells = solved_cells(plan)
    found: dict[str, list[tuple[str, str]]] = {cell: [] for cell in cells}
    for name in chosen:
        for cell in sorted(cells, key=lambda cell: len(found[cell])):
            if (new := changed(STYLES[name], cells[cell])) is not None:
                found[cell].append((name, new))
                break
    for number in range(max(map(len, found.values()))):
        here = {cell: made[number] for cell, made in found.items() if number < len(made)}
        texts = {cell: text for cell, (_, text) in here.items()}
        yield Styled(plan.assignment.name, texts, {cell: (name,) for cell, (name, _) in here.items()})


def compositions(plan: Plan, numbers: Iterable[int], seed: int, longest: int = 5) -> Iterator[Styled]:
    """Numbered submissions in which every cell has gone through two to `longest` styles, drawn for each cell."""
    for number in numbers:
        drawing = random.Random(f"{plan.assignment.name} {seed} {number}")
        drawn = {cell: composed(text, drawing, longest) for cell, text in solved_cells(plan).items()}
        kept = {cell: made for cell, made in drawn.items() if made[1]}
        yield Styled(plan.assignment.name, {c: m[0] for c, m in kept.items()}, {c: m[1] for c, m in kept.items()})


def composed(text: str, drawing: random.Random, longest: int) -> tuple[str, tuple[str, ...]]:
    """The text after some styles, and their names: what changes nothing is not counted; one time in three one comes last."""
    last = [style.__name__ for style in _LAST]
    order = drawing.sample(sorted(set(STYLES) - set(last)), len(STYLES) - len(last))
    wanted = drawing.randint(2, longest)
    done: list[str] = []
    for name in order:
        if len(done) == wanted:
            break
        new = changed(STYLES[name], text)
        if new is not None and is_python(new):
            text = new
            done.append(name)
    name = drawing.choice(last)
    if drawing.random() < 1 / 3 and (new := changed(STYLES[name], text)) is not None:
        text = new
        done.append(name)
    return text, tuple(done)


def pieces(text: str) -> tuple[list[str], str, list[str]]:
    """Own cells before, the answer cell's text, own cells after: a text may say that it stands in several cells."""
    before: list[str] = []
    answer: str | None = None
    after: list[str] = []
    here: list[str] = []
    kind = layout.ANSWER_CELL
    for line in [*text.splitlines(keepends=True), ""]:
        if line not in _PIECES and line:
            here.append(line)
            continue
        if kind == layout.ANSWER_CELL and "".join(here).strip():
            answer = "".join(here)
        elif "".join(here).strip():
            (before if answer is None else after).append("".join(here))
        kind, here = line, []
    return before, answer or "", after


def as_notebook(plan: Plan, styled: Styled) -> NotebookNode:
    """The solved notebook with the styled texts in the place of its own."""
    notebook = copy.deepcopy(plan.blueprint.notebook)
    cells = []
    for cell in notebook.cells:
        text = styled.texts.get(str(grade_id(cell))) if cell.cell_type == "code" and is_answer(cell) else None
        if text is None:
            cells.append(cell)
            continue
        before, cell.source, after = pieces(text)
        cells += [*map(_numbered(grade_id(cell), "before"), before), cell, *map(_numbered(grade_id(cell), "after"), after)]
    notebook.cells = cells
    return notebook


def _numbered(name: str | None, side: str) -> Callable[[str], NotebookNode]:
    def made(text: str) -> NotebookNode:
        cell = own_cell(text)
        cell.id = f"{name}-{side}"[:60].replace("_", "-")
        return cell

    return made


def as_handed_in(plan: Plan, styled: Styled) -> Submission:
    """The submission, with the solved files beside it."""
    content = write(as_notebook(plan, styled)).encode()
    files = solved_files(find_course(), plan.assignment)
    return Submission("styled", plan.assignment.name, content, files=files)


def judged(plan: Plan, styled: Styled, score: Score) -> Judged:
    """What a styled submission lost; a submission that is not graded has lost everything."""
    result = score(as_handed_in(plan, styled))
    lost = {c.check: f"{c.verdict.name}: {c.message}" for c in result.checks if c.verdict is not Verdict.PASS}
    if result.status != "graded":
        lost["the submission"] = f"{result.status}: {[finding.message for finding in result.findings]}"
    return Judged(styled, lost, result.seconds)


def culprits(plan: Plan, fallen: Judged, score: Score) -> list[Judged]:
    """A fallen submission's cells, each alone; those that fall alone, or the whole where none does."""
    if len(fallen.styled.texts) == 1:
        return [fallen]
    alone = [judged(plan, fallen.styled.only([cell]), score) for cell in fallen.styled.texts]
    return [one for one in alone if one.lost] or [fallen]
