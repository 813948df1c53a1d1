"""Writing files so that no one ever sees half of one, and nothing is touched that has not changed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path


def fill_folder(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Make a generated folder hold exactly these files; whether anything changed."""
    present = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()} if folder.is_dir() else {}
    if present.keys() == files.keys() and all(present[name].read_bytes() == content for name, content in files.items()):
        return False
    for name in present.keys() - files.keys():
        present[name].unlink()
    for name, content in files.items():
        replace_file(folder / name, content)
    return True


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its place and rename it into it, so that no one ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), 0o644)
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
