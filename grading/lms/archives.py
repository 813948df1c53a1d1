"""Unpacking what an LMS gave and what students packed into it: zip files that nobody here has looked at.

Nothing is written but plain files below the target; a part that leads elsewhere, is a link, is damaged, locked or too large is
left in its archive, which stays where it was, and is told. What an archive would unpack to is added up before anything is
unpacked: zipfile reads no more of a file than the archive says that it has.
"""

from __future__ import annotations

import calendar
import errno
import lzma
import os
import re
import shutil
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grading.lms.names import read_claim

_UTF8_NAMES = 0x800  # the flag of an entry whose name is UTF-8; without it zipfile takes the name for code page 437
_ENCRYPTED = 0x1
_LEFTOVERS = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", "__pycache__"}
_OTHERS = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")
# What is wrong with one name, not with the disk.
_NAME_ERRORS = {errno.ENAMETOOLONG, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.EILSEQ}


@dataclass(frozen=True)
class Bounds:
    """How much an archive may unpack to: that of a class, and each that a student packed, with all that is in it."""

    class_bytes: int = 20_000_000_000
    class_files: int = 100_000
    student_bytes: int = 200_000_000
    student_files: int = 2_000
    depth: int = 3


class Refused(Exception):
    """An archive that is not unpacked; the message says why."""


@dataclass
class Allowance:
    """What may still be unpacked, here and in the archive around this one."""

    bytes_left: int
    files_left: int
    around: Allowance | None = None

    def take(self, files: int, size: int) -> None:
        """Use some of it. Raises Refused where there is not as much."""
        if files > self.files_left:
            raise Refused(f"it holds {files} files, and {self.files_left} are allowed")
        if size > self.bytes_left:
            raise Refused(f"it would unpack to {size} bytes, and {self.bytes_left} are allowed")
        if self.around is not None:
            self.around.take(files, size)
        self.files_left -= files
        self.bytes_left -= size


@dataclass
class Unpacking:
    """Unpacks into one folder; `notes` are the parts that were not, as path and reason."""

    root: Path
    bounds: Bounds = field(default_factory=Bounds)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def take_in(self, source: Path, relative: Path) -> None:
        """Put a file from the instructor's folder to its place below the root: an archive unpacked, another as it is."""
        target = self.root / relative
        if is_leftover(relative):
            return
        if source.is_symlink() or not source.is_file():
            self._note(target, "it is a link or no regular file, and was not followed")
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix.lower() != ".zip":
            shutil.copy2(source, target)
            self._note_other(target)
            return
        allowance, depth = Allowance(min(self.bounds.class_bytes, shutil.disk_usage(self.root).free), self.bounds.class_files), 1
        if len(relative.parts) > 1 or read_claim(source.name):  # a class's archive that somebody has unpacked already
            allowance, depth = Allowance(self.bounds.student_bytes, self.bounds.student_files, allowance), 2
        try:
            self._unpack(source, target, allowance, depth)
        except Refused as refusal:
            self._note(target, f"it was not unpacked: {refusal}")

    def _unpack(self, source: Path, target: Path, allowance: Allowance, depth: int, moment: int | None = None) -> None:
        """Unpack an archive into a folder. Raises Refused, having written nothing."""
        try:
            archive = zipfile.ZipFile(source)
        except (zipfile.BadZipFile, struct.error, NotImplementedError, ValueError, OverflowError) as error:
            raise Refused(f"it is damaged or no zip file ({error})") from error
        with archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            allowance.take(len(entries), sum(entry.file_size for entry in entries))
            target.mkdir(parents=True, exist_ok=True)
            for entry in entries:
                self._extract(archive, entry, target, allowance, depth, _moment(entry) if moment is None else moment)

    def _extract(
        self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, allowance: Allowance, depth: int, moment: int
    ) -> None:
        name = entry_name(entry)
        parts = safe_parts(name)
        if parts is not None and is_leftover(Path(*parts)):
            return
        if (why := _refusal(entry, parts)) or parts is None:
            self.notes.append(
                (f"{os.path.relpath(target, self.root)}/{printable(name)}", why)
            )  # not resolved: it could name another's
            return
        path = target.joinpath(*parts)
        try:
            path = _free(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as packed, open(path, "xb") as file:
                shutil.copyfileobj(packed, file)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            path.unlink(missing_ok=True)
            self._note(path, f"it is damaged in its archive ({error})")
        except OSError as error:
            if error.errno not in _NAME_ERRORS:
                raise
            self._note(path, f"its name cannot be used here ({error.strerror})")
        else:
            os.utime(path, (moment, moment))
            self._go_deeper(path, allowance, depth, moment)

    def _go_deeper(self, path: Path, allowance: Allowance, depth: int, moment: int) -> None:
        """Put the content of an archive that lay in another into its place; where that cannot be, the archive stays."""
        if path.suffix.lower() != ".zip":
            self._note_other(path)
            return
        if depth >= self.bounds.depth:
            self._note(path, f"archives are unpacked {self.bounds.depth} deep, and this lies deeper")
            return
        inner = allowance
        if depth == 1:  # what a student packed
            inner = Allowance(self.bounds.student_bytes, self.bounds.student_files, allowance)
        beside = _free(path.with_name(f"{path.name}.d"))
        try:
            self._unpack(path, beside, inner, depth + 1, moment)
        except Refused as refusal:
            self._note(path, f"it was not unpacked: {refusal}")
            return
        path.unlink()
        beside.rename(path)
        before = str(beside.relative_to(self.root))
        self.notes = [
            (str(path.relative_to(self.root)) + file.removeprefix(before), why) if _below(file, before) else (file, why)
            for file, why in self.notes
        ]

    def _note_other(self, path: Path) -> None:
        if path.name.lower().endswith(_OTHERS):
            self._note(path, "archives other than zip are not unpacked")

    def _note(self, path: Path, why: str) -> None:
        self.notes.append((os.path.relpath(path, self.root), why))


def _below(file: str, folder: str) -> bool:
    return file == folder or file.startswith(f"{folder}/")


def is_leftover(path: Path) -> bool:
    """Whether a path is what systems and editors leave beside files; no one handed it in."""
    return any(part in _LEFTOVERS or part.startswith(("._", "~$")) for part in path.parts)


def entry_name(entry: zipfile.ZipInfo) -> str:
    """The name of an entry as it was meant: Canvas and others write UTF-8 without saying so. Accents are composed."""
    name = entry.filename
    if not entry.flag_bits & _UTF8_NAMES:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = entry.filename
    return unicodedata.normalize("NFC", name)


def printable(name: str) -> str:
    """A name for a message, without letters that move the cursor."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in name)


def safe_parts(name: str) -> tuple[str, ...] | None:
    """The parts of a path that stays below its folder; None for any other."""
    text = name.replace("\\", "/")
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    control = any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text)
    if not parts or text.startswith("/") or re.match(r"[A-Za-z]:", text) or ".." in parts or control:
        return None
    return parts


def _refusal(entry: zipfile.ZipInfo, parts: tuple[str, ...] | None) -> str:
    """Why an entry is left in its archive; empty where it is not."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if parts is None:
        return "its path leads out of the archive"
    if kind not in (0, stat.S_IFREG):
        return "it is a link or no regular file, and was not followed"
    return "it is locked with a password" if entry.flag_bits & _ENCRYPTED else ""


def _moment(entry: zipfile.ZipInfo) -> int:
    """The date of an entry, by which downloads are put in order; 1970 for one that is no date."""
    try:
        return max(0, calendar.timegm((*entry.date_time, 0, 0, 0)))
    except (ValueError, OverflowError):
        return 0


def _free(path: Path) -> Path:
    """The path, or where something is there already, one with a number: nothing is written over."""
    if not os.path.lexists(path):
        return path
    return next(other for other in _numbered(path) if not os.path.lexists(other))


def _numbered(path: Path) -> Iterator[Path]:
    number = 2
    while True:
        yield path.with_name(f"{path.stem} ({number}){path.suffix}")
        number += 1
