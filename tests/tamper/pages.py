"""What in a page a browser would run or fetch."""

from __future__ import annotations

import html
import re
from collections import Counter
from html.parser import HTMLParser

# In the report these words are headings of what follows them, without a colon.
_LABELS = re.compile(r"\b(Checked|Came back|Expected|Hint):")
_ACTIVE = {
    "script",
    "iframe",
    "object",
    "embed",
    "svg",
    "form",
    "base",
    "meta",
    "link",
    "style",
    "frame",
    "applet",
    "math",
    "template",
}
_ADDRESSES = {"href", "src", "action", "formaction", "xlink:href", "data", "srcdoc", "poster", "background"}


class _Finder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in _ACTIVE:
            self.found[f"<{tag} {dict(attributes).get('src') or ''}>"] += 1
        for name, value in attributes:
            address = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on"):
                self.found[f"<{tag} {name}=>"] += 1
            if (
                name in _ADDRESSES
                and re.match(r"(javascript|vbscript|data):", address)
                and not address.startswith(("data:image/", "data:,"))
            ):
                self.found[f"<{tag} {name}={address[:40]}>"] += 1


def active_parts(page: str) -> Counter[str]:
    """Elements that run or fetch something, attributes that run on an event, addresses that are code; how often each stands."""
    finder = _Finder()
    finder.feed(page)
    return finder.found


def text_of(page: str) -> str:
    """What a page shows, with single blanks."""
    return single_blanks(html.unescape(re.sub(r"<[^>]*>", " ", page)))


def single_blanks(text: str) -> str:
    """Text in which it does not matter where a line ends, whether a word is set as code, or how a part is labelled."""
    return " ".join(_LABELS.sub(r"\1 ", text).replace("`", " ").split())
