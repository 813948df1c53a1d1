"""The page of `./course similar`: pairs of texts side by side, what they have in common marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from grading.report.page import UNPRINTABLE
from grading.report.words import percent
from grading.similarity import Likeness, Side


def render_pairs(assignment: str, writings: int, found: Likeness, most: int, unread: Mapping[str, str]) -> str:
    """The page, as text, with so many pairs and passages at most; `unread` says why a student's text was not compared."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update({"percent": percent, "marked": marked})
    template = environment.get_template("pairs.html.jinja")
    pairs, groups = found.pairs[:most], found.groups[:most]
    page = template.render(
        assignment=assignment, writings=writings, pairs=pairs, groups=groups, found=len(found.pairs), unread=unread
    )
    return UNPRINTABLE.sub("\ufffd", page)


def marked(side: Side) -> Markup:
    """A text, escaped, with what is in common marked."""
    text, end, pieces = side.writing.text, 0, []
    for start, stop in joined(side.spans):
        pieces += [escape(text[end:start]), Markup("<mark>{}</mark>").format(text[start:stop])]
        end = stop
    return Markup("").join([*pieces, escape(text[end:])])


def joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
