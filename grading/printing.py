"""A released notebook as a page to be printed: prose, figures, and room to write. Pure."""

from __future__ import annotations

import html
from collections.abc import Mapping

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.notebooknode import NotebookNode

from grading.notebooks import is_answer, is_graded

_STYLE = """
@page { size: A4; margin: 18mm; }
body { font: 10.5pt/1.4 Georgia, "DejaVu Serif", serif; max-width: 46em; margin: 0 auto; color: #000; }
h1 { font-size: 16pt; border-bottom: 1px solid #000; } h2 { font-size: 12pt; margin-bottom: 0.2em; }
h1, h2 { break-after: avoid; } section { break-inside: avoid; }
table { border-collapse: collapse; } th, td { border: 1px solid #666; padding: 0.15em 0.5em; text-align: left; }
code { font: 9.5pt "DejaVu Sans Mono", Consolas, monospace; }
.anchor-link { display: none; }
pre { border: 1px solid #999; padding: 0.5em; white-space: pre-wrap; } ul { padding-left: 1.4em; }
.room { border: 1px solid #000; height: 2.2em; margin: 0.5em 0 1.2em; padding: 0.2em 0.5em; color: #555; } .page { height: 16em; }
img { max-width: 100%; }
"""


def printed(notebook: NotebookNode, title: str, pictures: Mapping[str, str]) -> str:
    """The page, as text that needs no network and no script; `pictures` are figures of given cells, in base64, by cell id."""
    parts: list[str] = []
    answered = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            body = _room(True) if is_answer(cell) else _prose(cell.source)
        elif is_answer(cell):
            body = f"<pre><code>{html.escape(cell.source)}</code></pre>" if _is_code(cell) else _room(False)
            answered = True
        elif cell.id in pictures:
            body = f'<img alt="figure of the notebook" src="data:image/png;base64,{html.escape(pictures[cell.id])}">'
        else:
            continue
        # A question and the room for its answer stay on one page.
        if answered and not is_graded(cell) and parts:
            parts[-1] += body
            answered = False
        else:
            parts.append(body)
    sections = "\n".join(f"<section>{part}</section>" for part in parts)
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{sections}\n</body></html>\n'


def _prose(source: str) -> str:
    return str(MarkdownWithMath(renderer=IPythonRenderer(escape=True)).render(source))


def _is_code(cell: NotebookNode) -> bool:
    """Whether an answer is a program: its stub defines something."""
    return any(line.startswith(("def ", "class ")) for line in cell.source.splitlines())


def _room(large: bool) -> str:
    return f'<div class="room{" page" if large else ""}">answer:</div>'
