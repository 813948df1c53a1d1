"""An IPython shell without a kernel: a function from the text of a cell to its outputs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any as AnyTrait
from traitlets.config import Config

Emit = Callable[[dict[str, Any]], None]


class _NamingCompiler(CachingCompiler):
    """Compiles each cell under the name that the trusted side gave it, so that errors can be traced to it."""

    cell_name = "<cell>"

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return self.cell_name


class _EmittingHook(DisplayHook):
    emit: Any = AnyTrait()

    def __call__(self, result: Any = None) -> None:
        self.check_for_underscore()
        if result is None or self.quiet():
            return
        self.update_user_ns(result)
        data, metadata = self.compute_format_data(result)
        if data:
            self.emit({"event": "result", "data": as_text(data)})


class _EmittingPublisher(DisplayPublisher):
    emit: Any = AnyTrait()

    def publish(self, data: dict[str, Any], metadata: Any = None, **kwargs: Any) -> None:
        self.emit({"event": "display", "data": as_text(data)})

    def clear_output(self, wait: bool = False) -> None:
        self.emit({"event": "clear"})


class Shell(InteractiveShell):
    """Runs cells; what they show goes to `emit`, what they print to descriptors 1 and 2."""

    compiler_class = AnyTrait(_NamingCompiler)
    displayhook_class = AnyTrait(_EmittingHook)
    display_pub_class = AnyTrait(_EmittingPublisher)

    def run(self, source: str, name: str, emit: Emit) -> dict[str, Any]:
        """Run one cell; the reply names the error it raised, if any."""

        def emit_in_order(event: dict[str, Any]) -> None:
            sys.stdout.flush(), sys.stderr.flush()
            emit(event)

        self.displayhook.emit = self.display_pub.emit = emit_in_order
        self.compile.cell_name = name
        self.shown: list[str] = []
        outcome = self.run_cell(source, store_history=True)
        error = outcome.error_before_exec or outcome.error_in_exec
        close_figures()
        sys.stdout.flush(), sys.stderr.flush()
        return {"error": None if error is None else describe_error(error, self.shown)}

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        self.shown = list(stb)

    def enable_matplotlib(self, gui: Any = None) -> tuple[str, str]:
        """Whatever backend a notebook asks for, no figure is rendered and no window opens."""
        return "agg", "agg"

    def enable_gui(self, gui: Any = None) -> None:
        """No window opens while a notebook is graded."""


def as_text(data: dict[str, Any]) -> dict[str, str]:
    """The text parts of a display; pictures are not kept while a notebook is graded."""
    return {kind: value[:100_000] for kind, value in data.items() if isinstance(value, str) and kind.startswith("text/")}


def describe_error(error: BaseException, shown: list[str]) -> dict[str, Any]:
    """Class name, message and traceback lines, each of bounded length."""
    try:
        message = str(error)[:2000]
    except Exception:  # a student's own __str__ may raise
        message = ""
    return {"name": type(error).__name__[:100], "message": message, "traceback": [line[:2000] for line in shown[:40]]}


def close_figures() -> None:
    """Figures are made and closed but not rendered: rendering one costs more than all the rest of a submission."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


def make_shell() -> Shell:
    """A shell that keeps no history on disk, loads no startup files, and prints plain tracebacks."""
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.cache_size = 0
    config.InteractiveShell.ast_node_interactivity = "last_expr"
    shell = Shell(config=config)
    InteractiveShell._instance = shell  # so that get_ipython() answers
    Shell._instance = shell
    return shell
