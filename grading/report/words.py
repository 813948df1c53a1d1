"""Numbers and texts as a person reads them in a report."""

from __future__ import annotations

from markupsafe import Markup, escape


def number(value: float) -> str:
    """At most two decimals, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    """Whole per cent; 0 and 100 are said only where they are exact."""
    rounded = round(100 * value)
    if rounded == 0 and value > 0:
        return "under 1 %"
    return "over 99 %" if rounded == 100 and value < 1 else f"{rounded} %"


def seconds(value: float) -> str:
    """Seconds with their unit."""
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def with_code(text: str) -> Markup:
    """Escaped text in which what stands in backquotes is set as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return Markup("").join(Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(pieces))
