"""The documentation names what there is: commands, messages, files, links."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grading.__main__ import all_commands
from grading.course import find_course

ROOT = find_course().root
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def names(pages: list[Path]) -> list[str]:
    return [page.name for page in pages]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_every_command_is_one(page: Path) -> None:
    known = {command.name or command.callback.__name__.replace("_", "-") for command in all_commands().registered_commands}
    known |= {known_name.replace("_answers", "") for known_name in known}
    named = set(re.findall(r"(?:`|^ +|\|\s*)\./course (?:--debug )?([a-z]+)", page.read_text(), re.MULTILINE))
    assert named - known == set()


def said(tree: ast.AST) -> Iterator[str]:
    """All texts of a module; what is put into one when it runs is a line feed here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\n" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_message_of_troubleshooting_is_one_that_the_course_gives() -> None:
    texts = [text for path in (ROOT / "grading").rglob("*.py") for text in said(ast.parse(path.read_text()))]
    texts.append((ROOT / "course").read_text())
    lines = [line for line in (ROOT / "docs" / "troubleshooting.md").read_text().splitlines() if line.startswith("- `")]
    quoted = [message for line in lines for message in re.findall(r"`([^`]+)`", line.partition("`: ")[0] + "`")]
    of_the_system = {"No space left on device", "Permission denied"}
    pieces = {piece.strip() for message in quoted for piece in message.split("…")} - {"", ":"}
    pieces = {piece for piece in pieces if not any(piece.endswith(told) for told in of_the_system)}
    assert len(pieces) > 25
    assert [piece for piece in sorted(pieces) if not any(piece in text for text in texts)] == []
