"""Tables that people exchange with an LMS, read and written as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grading.course import CourseError

_SEPARATORS = ",;\t"
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Table:
    """A header and rows of as many fields, and the character between them."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    separator: str = ","

    def named(self) -> dict[str, int]:
        """Columns by name, in lower case with underscores; of equal names the first."""
        return {column_key(name): place for place, name in reversed(list(enumerate(self.header)))}

    def text(self) -> str:
        """The table as CSV."""
        file = io.StringIO()
        csv.writer(file, delimiter=self.separator, lineterminator="\n").writerows([self.header, *self.rows])
        return file.getvalue()


def column_key(name: str) -> str:
    """The name of a column as it is compared."""
    return name.strip().casefold().replace(" ", "_")


def read_table(path: Path) -> Table:
    """A table with commas, semicolons or tabs. Raises CourseError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(f"{path.name} is no text in UTF-8; save it as CSV in UTF-8") from error
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}") from error
    try:
        read = {separator: _rows(text, separator) for separator in _SEPARATORS}
    except csv.Error as error:
        raise CourseError(f"{path.name} is no table: {error}") from error
    separator, rows = max(read.items(), key=lambda item: len(item[1][0]) if item[1] else 0)
    if not rows:
        raise CourseError(f"{path.name} is empty")
    width = len(rows[0])
    return Table(tuple(rows[0]), tuple(tuple((*row, *[""] * width)[:width]) for row in rows[1:]), separator)


def _rows(text: str, separator: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [row for row in reader if any(field.strip() for field in row)]


def field(row: Sequence[str], columns: Mapping[str, int], *names: str) -> str:
    """The first of these columns that the table has, in a row; blank where it has none of them."""
    return next((row[columns[name]].strip() for name in names if name in columns), "")


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before what begins one. A dash alone, Moodle's word for
    nothing, begins none."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULAS) and text.strip() != "-" else text
