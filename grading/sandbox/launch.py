"""How the warm parent is started: the strongest line of defence that this machine offers."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

from grading.sandbox import bubble
from grading.sandbox.inside.cage import FILTERS, NAMESPACES, NONE
from grading.sandbox.probe import Offer, filters, probe

_FIRST = "bubblewrap: no network, no view of the course; each submission in namespaces of its own, without capabilities"
_SECOND = "Landlock and seccomp around each submission: no file of the course, no socket, no other process to be touched"
_NEITHER = "unsandboxed: a forked child with limits, the whole machine in view"


@dataclass(frozen=True)
class Launch:
    """How a warm parent is started.

    `line` is the defence around each child (`inside/cage.py`); `bubble` says whether the parent itself is inside bubblewrap; and
    `uid` the user that a parent started by root steps down to; `readable` are the paths that Landlock leaves open, `filter` the
    program that judges system calls; `quick` whether notebooks are told not to train for minutes.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    line: str
    description: str
    bubble: bool = False
    uid: int = 0
    readable: tuple[str, ...] = ()
    filter: bytes = field(default=b"", repr=False)
    quick: bool = True

    @property
    def sandboxed(self) -> bool:
        """Whether there is a line of defence at all."""
        return self.line != NONE

    def child_settings(self) -> dict[str, object]:
        """What a child is told about its defence, as plain data."""
        return {"line": self.line, "readable": list(self.readable), "filter": base64.b64encode(self.filter).decode()}


def choose_launch() -> Launch:
    """The strongest line of defence of this machine, as tried out; a bare parent where there is none."""
    return choose(probe())


def choose(offers: Sequence[Offer]) -> Launch:
    """Of what was found: namespaces before filters, inside bubblewrap before bare."""
    return next(iter(launches(offers).values()), bare_launch())


def launches(offers: Sequence[Offer]) -> dict[str, Launch]:
    """Every line of defence in every place where it works, by name, the strongest first.

    Namespaces without bubblewrap are none: the files of the course would be in view.
    """
    found = {}
    for line in (NAMESPACES, FILTERS):
        for offer in offers:
            if not offer.unreadable and not offer.fault(line) and (offer.bubble or line == FILTERS):
                found[f"{line}, {offer.place}"] = launch(offer, line)
    return found


def launch(offer: Offer, line: str) -> Launch:
    """A line of defence in one of the places that were tried."""
    described = _FIRST if line == NAMESPACES else f"bubblewrap; {_SECOND}" if offer.bubble else _SECOND
    command = (*offer.prefix, *bubble.interpreter("inside.parent"), str(offer.uid))
    environment = bubble.environment("/tmp/home") if offer.bubble else {}
    paths = {"PYTHONPATH": bubble.python_path(offer.bubble)}
    program = filters(offer.landlock).get(line, b"")
    return Launch(
        command, environment | paths, line, described, offer.bubble, offer.uid, bubble.readable_paths(offer.bubble), program
    )


def bare_launch() -> Launch:
    """A parent without a sandbox, for students who are trusted."""
    return Launch((*bubble.interpreter("inside.parent"), "0"), {"PYTHONPATH": bubble.python_path(False)}, NONE, _NEITHER)


def start_process(launch: Launch, control: int, scratch: str) -> subprocess.Popen[bytes]:
    """Start the parent, which inherits the descriptor `control` and is told its number.

    Outside bubblewrap `scratch` is its home and working folder; inside, both are of its own making.
    """
    own = {} if launch.bubble else bubble.environment(scratch)
    if launch.uid and not launch.bubble and os.getuid() == 0:
        os.chown(scratch, launch.uid, launch.uid)
    environment = {**launch.environment, **own}
    return subprocess.Popen(
        [*launch.command, str(control)],
        env={name: value for name, value in environment.items() if launch.quick or name not in bubble.QUICK_RUN},
        cwd=scratch,
        pass_fds=[control],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
