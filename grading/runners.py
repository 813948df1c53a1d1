"""Two ways to run a notebook's cells: in the sandbox, or in this process (for code that is trusted)."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Protocol

import matplotlib
import torch
from IPython.core.inputtransformer2 import TransformerManager

from grading.limits import Limits
from grading.sandbox.bubble import QUICK_RUN
from grading.sandbox.conversation import Outputs
from grading.sandbox.inside.client import Client
from grading.sandbox.inside.figures import silent_figures
from grading.sandbox.inside.shell import close_figures
from grading.sandbox.session import CellRun, CellToRun, Session
from grading.sandbox.warm import WarmParent
from grading.student import LocalTransport
from grading.wire import Frame


class Stay(Protocol):
    """A notebook that has been run and can be asked: what `score` needs of a Session."""

    runs: dict[str, CellRun]
    record: Outputs

    def __enter__(self) -> Stay:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Leave nothing running."""

    def run_cells(self) -> None:
        """Run all cells."""

    def rest(self) -> None:
        """Make room for another stay; the next question may cost the time of all cells once more."""

    def begin_check(self) -> None:
        """Start the clock of a check."""

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        """Carry one question."""


class Runner(Protocol):
    """Opens a stay for one notebook."""

    description: str

    def open(self, cells: Sequence[CellToRun], files: Mapping[str, bytes], limits: Limits) -> Stay:
        """A stay whose cells have not been run yet."""


class SandboxRunner:
    """Runs notebooks in children of a warm parent."""

    def __init__(self, parent: WarmParent) -> None:
        self._parent = parent
        self.description = parent.launch.description

    def open(self, cells: Sequence[CellToRun], files: Mapping[str, bytes], limits: Limits) -> Stay:
        """A stay in the sandbox."""
        return Session(self._parent, cells, files, limits)


class LocalRunner:
    """Runs notebooks in this process: no limits, no protection, but a debugger can look in."""

    description = "in this process, without protection"

    def __init__(self) -> None:
        matplotlib.use("agg")  # no window opens, whatever screen there is

    def open(self, cells: Sequence[CellToRun], files: Mapping[str, bytes], limits: Limits) -> Stay:
        """A stay in this process."""
        return LocalStay(cells, files)


@contextmanager
def open_apart(runner: Runner, limits: Limits, beside: Stay, source: str) -> Iterator[Stay]:
    """A stay that has run `source`, a text of the course's own, and nothing of any student's. The stay `beside` it rests."""
    beside.rest()
    with runner.open([CellToRun("<cell apart>", source)], {}, limits) as stay:
        stay.run_cells()
        stay.begin_check()
        yield stay


class Workplace:
    """A temporary folder with a notebook's files. `inside` it is the current folder, and modules are looked for there first."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="course-stay-")
        self._modules: dict[str, ModuleType] = {}
        self._names = {Path(name).stem for name in files if name.endswith(".py")}
        for name, content in files.items():
            (Path(self._folder.name) / Path(name).name).write_bytes(content)

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Be there for a while; another notebook's module of the same name is out of the way as long."""
        before = {name: sys.modules.pop(name) for name in self._names if name in sys.modules}
        path, environment = list(sys.path), {name: os.environ.get(name) for name in QUICK_RUN}
        sys.modules.update(self._modules)
        sys.path.insert(0, self._folder.name)
        os.environ.update(QUICK_RUN)
        try:
            with contextlib.chdir(self._folder.name):
                yield
        finally:
            self._modules = {name: sys.modules.pop(name) for name in self._names if name in sys.modules}
            sys.modules.update(before)
            sys.path[:] = path
            for name, value in environment.items():
                os.environ.pop(name, None)
                os.environ.update({} if value is None else {name: value})


class LocalStay:
    """Cells run by `exec` in one dict, in a temporary folder; IPython's line magics are dropped."""

    def __init__(self, cells: Sequence[CellToRun], files: Mapping[str, bytes]) -> None:
        self._cells = cells
        self._workplace = Workplace(files)
        self._client = Client({"__name__": "__main__"})
        self._transport = LocalTransport(self._client)
        self.record = Outputs(100_000)
        self.runs: dict[str, CellRun] = {}

    def __enter__(self) -> LocalStay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._workplace.close()

    def run_cells(self) -> None:
        """Run all cells, each to its first error. A default dtype that they set is theirs, not the grader's."""
        default = torch.get_default_dtype()
        with self._workplace.inside():
            for cell in self._cells:
                self.runs[cell.name] = self._run(cell)
                if cell.keep is not None:
                    self._client.keep(cell.grade_id, list(cell.keep))
        torch.set_default_dtype(default)

    def rest(self) -> None:
        """There is room enough."""

    def begin_check(self) -> None:
        """There is no clock here."""

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        """Carry one question."""
        with self._workplace.inside():
            return self._transport.ask(header, blob)

    def _run(self, cell: CellToRun) -> CellRun:
        printed, error = io.StringIO(), None
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                with silent_figures() if cell.given else contextlib.nullcontext():
                    exec(compile(plain_python(cell.source), cell.name, "exec"), self._client.namespace)
            except (Exception, SystemExit) as raised:
                lines = traceback.format_exception(raised)
                error = {"name": type(raised).__name__, "message": str(raised), "traceback": lines}
        close_figures()
        items = ({"stream": "stdout", "data": printed.getvalue().encode()},) if printed.getvalue() else ()
        return CellRun("error" if error else "ok", "", error, items)


def plain_python(source: str) -> str:
    """A cell's text with IPython's magics taken out; lines keep their numbers."""
    lines = TransformerManager().transform_cell(source).splitlines()
    return "\n".join("pass" if line.startswith("get_ipython()") else line for line in lines)
