"""Downloads as Canvas and Moodle make them, and what students and their machines put in between."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.tiny_course import HALF, RIGHT, handed_in, text_of

RIGHT_TEXT, HALF_TEXT = text_of(handed_in(**RIGHT)), text_of(handed_in(**HALF))
MONDAY, TUESDAY = (2026, 6, 15, 9, 0, 0), (2026, 6, 16, 9, 0, 0)


class Unmarked(zipfile.ZipInfo):
    """An entry whose name is UTF-8 and does not say so, as Canvas writes it."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # zipfile's own name
        return self.filename.encode(), self.flag_bits & ~0x800


def zipped(files: Mapping[str, str | bytes], moment: tuple[int, ...] = MONDAY, marked: bool = True) -> bytes:
    """A zip file with these entries, all of one date."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = (zipfile.ZipInfo if marked else Unmarked)(name, moment)  # type: ignore[arg-type]  # six numbers
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return content.getvalue()


def with_link(files: Mapping[str, str | bytes], name: str, target: str) -> bytes:
    """A zip file that holds a symbolic link beside other entries."""
    content = io.BytesIO(zipped(files))
    with zipfile.ZipFile(content, "a") as archive:
        link = zipfile.ZipInfo(name, MONDAY)  # type: ignore[arg-type]
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, target)
    return content.getvalue()


def put_archive(root: Path, name: str, content: bytes) -> Path:
    """Put a file where an instructor puts downloads."""
    path = root / "downloaded" / "tiny" / "archive" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
