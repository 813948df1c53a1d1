"""A real browser for tests of pages, and a server of nbgrader's formgrader."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

NO_BROWSER = "there is no Chromium on this machine; to have it: apt-get install chromium"
# Nothing but what a test asks for: no sandbox of its own as root, no look-ups, no updates.
_QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
TOKEN = "a-token-of-a-test"


def chromium() -> str | None:
    """Where Debian's Chromium lies."""
    return shutil.which("chromium")


@contextmanager
def started_browser() -> Iterator[Browser]:
    """Chromium, without a window; skips where there is none."""
    path = chromium()
    if path is None:
        pytest.skip(NO_BROWSER)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_QUIET))
        yield browser
        browser.close()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def formgrader(root: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of a Jupyter server with nbgrader's pages, started in a course's folder and ended afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "jupyter_server", f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}"]
    command += ["--no-browser", "--allow-root", f"--ServerApp.root_dir={root}", "--ServerApp.port_retries=0"]
    command += ["--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"]
    log = root / "server.log"
    with open(log, "wb") as told, subprocess.Popen(command, cwd=root, env=environment, stdout=told, stderr=told) as server:
        try:
            wait_for(f"http://127.0.0.1:{port}/api", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(30)


def wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Until a server answers, for a minute at most."""
    for _ in range(240):
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.25)
    raise AssertionError(log.read_text())
