"""What a child of the sandbox can see and reach, line of defence by line of defence; `pytest -s` shows the answers."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping

import pytest

from grading.sandbox.bubble import Launch, choose_launch
from grading.sandbox.warm import WarmParent
from tests.conftest import NO_SANDBOX
from tests.tamper.probes import Probe, answer, probes

NAMES = list(probes(0, ""))
# A further line of defence is one more entry here, and one more field of Probe.
LINES = {"namespaces": choose_launch}


@pytest.fixture(scope="module", params=LINES)
def line(request: pytest.FixtureRequest) -> tuple[str, Launch]:
    """A line of defence, and how it is started."""
    launch = LINES[request.param]()
    if not launch.namespaces:
        pytest.skip(NO_SANDBOX)
    return request.param, launch


@pytest.fixture(scope="module")
def probed(line: tuple[str, Launch]) -> Iterator[WarmParent]:
    """A parent under that line."""
    with WarmParent(line[1]) as started:
        yield started


@pytest.fixture(scope="module")
def asked() -> Iterator[Mapping[str, Probe]]:
    """The probes, with servers outside that listen."""
    abstract = f"course-probe-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{abstract}")
        local.listen()
        yield probes(server.getsockname()[1], abstract)


@pytest.mark.parametrize("name", NAMES)
def test_a_child_sees_and_reaches_no_more_than_it_must(
    line: tuple[str, Launch], probed: WarmParent, asked: Mapping[str, Probe], name: str
) -> None:
    found = answer(probed, asked[name])
    print(f"\n{line[0]}: {name}: {str(found)[:200]}")
    assert getattr(asked[name], line[0])(found), found
