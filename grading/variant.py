"""Variants: what is drawn for one student of an assignment that is personal, such as an exam.

A variant is a function of the course's secret, the assignment and the student's name, the same on every machine and under every
version of Python: everything is drawn from HMAC-SHA256 by the few lines below, and no list of who got what is kept.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

PRACTICE = "practice"
"""The name that the released paper is drawn for. Everybody may know that paper, so no secret goes into it."""

MARK = re.compile(r"\bpaper-[a-z2-7]{12}(?![a-z2-7])")
"""How a paper's code looks, in its text and in the ids of its cells."""

_PUBLIC_KEY = b"the practice paper is drawn with a key that everybody may know"
_WORD_BITS = 64
T = TypeVar("T")


@dataclass(frozen=True)
class Variant:
    """One student's draw of one assignment; `key` is 32 bytes that nobody can guess who does not know the secret."""

    assignment: str
    student: str
    key: bytes

    def draws(self, purpose: str) -> Draws:
        """A stream of draws of its own for each purpose, so that what one draws moves no other."""
        return Draws(self.key, purpose)

    def mark(self, content: str) -> str:
        """The paper's code: a keyed digest of its content, so that it also changes when the pool does."""
        digest = hmac.new(self.key, b"mark:" + content.encode(), hashlib.sha256).digest()
        return "paper-" + base64.b32encode(digest)[:12].decode().lower()


def derive(secret: bytes, assignment: str, student: str) -> Variant:
    """The variant of a student. Pure; a name's accents may be composed or not, as file systems differ in that."""
    key = _PUBLIC_KEY if student == PRACTICE else secret
    name = unicodedata.normalize("NFC", student)
    named = f"variant:{len(assignment)}:{assignment}:{name}".encode("utf-8", "surrogateescape")
    return Variant(assignment, student, hmac.new(key, named, hashlib.sha256).digest())


class Draws:
    """Even draws from the HMAC-SHA256 of a counter under a key."""

    def __init__(self, key: bytes, purpose: str) -> None:
        self._key, self._purpose, self._count = key, purpose, 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each equally likely: words that would favour small numbers are drawn again."""
        bound = 2**_WORD_BITS - 2**_WORD_BITS % n
        while (word := self._word()) >= bound:
            pass
        return word % n

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order (Fisher and Yates)."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def sample(self, items: Sequence[T], size: int) -> list[T]:
        """Some of the items, in a drawn order."""
        return self.shuffled(items)[:size]

    def _word(self) -> int:
        counted = f"{self._purpose}:{self._count}".encode()
        self._count += 1
        return int.from_bytes(hmac.new(self._key, counted, hashlib.sha256).digest()[: _WORD_BITS // 8], "big")
