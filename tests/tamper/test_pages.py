"""Pages of feedback: a picture that is not there, or whose name is hidden in an entity, ends none of them."""

from __future__ import annotations

from typing import Any

import pytest

from grading.markdown import markdown_to_html

ATTACHED: dict[str, Any] = {"there.png": {"image/png": "AAAA"}, "empty.png": {}}


@pytest.mark.parametrize(
    "text",
    [
        "![a](attachment:lost.png) after",
        "![a](&#97;ttachment:lost.png) after",
        "![a][name] after\n\n[name]: attachment:lost.png",
        "![a](attachment:empty.png) after",
        "![a](attachment:) after",
    ],
)
def test_a_missing_attachment_is_an_empty_picture(text: str) -> None:
    page = markdown_to_html({"cell": {"attachments": ATTACHED}}, text)
    assert 'src="data:,"' in page
    assert "after" in page


def test_an_attachment_that_is_there_is_shown() -> None:
    page = markdown_to_html({"cell": {"attachments": ATTACHED}}, "![a](attachment:there.png)")
    assert 'src="data:image/png;base64,AAAA"' in page
