"""Runs a command as an ordinary user who can read this checkout and its Python, wherever root keeps them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

USER = 65_531  # neither root nor the user that a sandbox steps down to


def closed_folder(path: Path) -> Path | None:
    """The outermost folder on the way to a path that only its owner may pass."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def run_as_ordinary_user(
    command: Sequence[str], needed: Sequence[Path], environment: Mapping[str, str], folder: Path, timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in a mount namespace of its own, where each closed folder shows nothing but the needed paths beneath it.

    Needs root; nothing outside the namespace is changed.
    """
    closed = {path: found for path in needed if (found := closed_folder(path))}
    stash = folder / "stash"
    lines = ["set -eu", "mount --make-rprivate /"]
    for number, path in enumerate(closed):
        lines += [f"mkdir -p {stash}/{number}", f"mount --rbind {shlex.quote(str(path))} {stash}/{number}"]
    lines += [f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(found))}" for found in sorted(set(closed.values()))]
    for number, path in enumerate(closed):
        lines += [f"mkdir -p {shlex.quote(str(path))}", f"mount --rbind {stash}/{number} {shlex.quote(str(path))}"]
    lines += [f"exec setpriv --reuid {USER} --regid {USER} --clear-groups --no-new-privs {shlex.join(command)}"]
    script = ["unshare", "--mount", "sh", "-c", "\n".join(lines)]
    return subprocess.run(script, env=dict(environment), cwd=folder, capture_output=True, text=True, timeout=timeout_s)


def needed_paths(root: Path) -> list[Path]:
    """The checkout, the interpreter, and the packages, where these lie apart."""
    packages = Path(sys.prefix).resolve()
    return list(dict.fromkeys([root, Path(sys.base_prefix).resolve(), packages, Path(os.path.dirname(os.__file__)).resolve()]))
