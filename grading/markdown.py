"""Markdown of a notebook as HTML, for the pages of feedback and formgrader: no text that a student wrote ends a page."""

from __future__ import annotations

from typing import Any

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

_NO_PICTURE = "data:,"


class _Renderer(IPythonRenderer):
    """nbconvert's, which raises where an attachment is missing: a picture that is not there is an empty one here."""

    def _embed_image_or_attachment(self, src: str) -> str:
        name = src.removeprefix("attachment:")
        if name != src and not self.attachments.get(name):
            return _NO_PICTURE
        return str(super()._embed_image_or_attachment(src))


@pass_context
def markdown_to_html(context: Any, source: str) -> str:
    """The filter `markdown2html` of nbconvert's templates."""
    renderer = _Renderer(escape=False, attachments=context.get("cell", {}).get("attachments", {}))
    return str(MarkdownWithMath(renderer=renderer).render(source))
