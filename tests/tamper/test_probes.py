"""What a child of the sandbox can see and reach; `pytest -s` shows the answers."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping

import pytest

from grading.sandbox.inside.cage import NAMESPACES
from grading.sandbox.warm import WarmParent
from tests.conftest import NO_SANDBOX
from tests.lines import lines_here
from tests.tamper.probes import Probe, answer, probes

NAMES = list(probes(0, ""))
LINES = {name: launch for name, launch in lines_here().items() if launch.line == NAMESPACES}


@pytest.fixture(scope="module", params=LINES or [NO_SANDBOX])
def probed(request: pytest.FixtureRequest) -> Iterator[WarmParent]:
    """A parent under the first line of defence, in each place where it works."""
    if request.param not in LINES:
        pytest.skip(NO_SANDBOX)
    with WarmParent(LINES[request.param]) as started:
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
def test_a_child_sees_and_reaches_no_more_than_it_must(probed: WarmParent, asked: Mapping[str, Probe], name: str) -> None:
    found = answer(probed, asked[name])
    print(f"\n{name}: {str(found)[:200]}")
    assert asked[name].holds(found), found
