"""What the names in an LMS's download of submissions say: whose a file is, and what it was called.

Canvas names each file `<sortable name, letters only, lower case>[_LATE]_<user>_<attachment>_<file>`, a text that was typed in
`…_<user>_text.html`, and an anonymous submission `[LATE_]anon_<code>_<attachment>_<file>`. Attachments are numbered by Canvas's
server in the order in which they arrive. Moodle makes a folder `<full name>_<participant>_assignsubmission_<kind>` for each
student, with an underscore at its end before version 4.1, or, as it was told, no folder but files with that beginning.
(Read off Canvas's content_zipper.rb and Moodle's mod/assign/classes/downloader.php.)
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

CANVAS, MOODLE, PLAIN = "canvas", "moodle", "folder"
_CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<attachment>\d+)_(?P<file>.+)", re.DOTALL)
_CANVAS_TEXT = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<file>(text|link)\.html)", re.DOTALL)
_ANONYMOUS = re.compile(r"(?P<late>LATE_)?anon_[A-Za-z0-9]+_(?P<attachment>\d+)_(?P<file>.+)", re.DOTALL)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)(_(?P<file>.*))?", re.DOTALL)
# What browsers, file managers and Canvas add to the name of a file that they have met before.
_COUNTED = r"([-_ ]\d{1,3}|\s*\(\d{1,3}\)|[-_ ]+(copy|kopie))*"


@dataclass(frozen=True)
class Claim:
    """Whose a file or folder says it is; `number` is the LMS's own for the person, `attachment` Canvas's for the file, and `file`
    what the student called it, as far as the name holds it."""

    lms: str
    part: str
    name: str
    number: str = ""
    attachment: int = 0
    late: bool = False
    file: str = ""

    def in_words(self) -> str:
        """The person, for a message."""
        return f"{self.name!r} ({self.lms} number {self.number})" if self.number else f"{self.name!r}"


def read_claim(part: str) -> Claim | None:
    """What one part of a path says, if it has the form of an LMS's name."""
    if found := _MOODLE.fullmatch(part):
        return Claim(MOODLE, part, found["name"], found["number"], file=found["file"] or "")
    if (found := _ANONYMOUS.fullmatch(part)) and not _CANVAS.fullmatch(part):
        return Claim(CANVAS, part, "an anonymous student", "", int(found["attachment"]), bool(found["late"]), found["file"])
    if found := _CANVAS.fullmatch(part):
        attachment = int(found["attachment"])
        return Claim(CANVAS, part, found["name"], found["number"], attachment, bool(found["late"]), found["file"])
    if found := _CANVAS_TEXT.fullmatch(part):
        return Claim(CANVAS, part, found["name"], found["number"], late=bool(found["late"]), file=found["file"])
    return None


def name_key(text: str) -> str:
    """A person's name as it is compared: its letters and digits alone, accents composed, upper and lower case alike."""
    composed = unicodedata.normalize("NFC", text).casefold()
    return "".join(letter for letter in composed if letter.isalnum())


def is_named(file: str, wanted: str) -> bool:
    """Whether a file has the wanted name, save for what is added to a name that is taken: `m1-1.ipynb`, `m1 (2).ipynb`."""
    stem, _, ending = wanted.rpartition(".")
    return re.fullmatch(re.escape(stem) + _COUNTED + re.escape(f".{ending}"), file, re.IGNORECASE) is not None
