"""An IPython shell without a kernel: a function from the text of a cell to its outputs."""

from __future__ import annotations

import ast
import sys
import traceback
import warnings
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
    parsed: tuple[str, ast.Module] | None = None

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.AST:
        """The tree of the cell that has just been parsed to look for magics, or a new one."""
        if self.parsed is not None and self.parsed[0] == source and symbol == "exec":
            return self.parsed[1]
        tree: ast.AST = super().ast_parse(source, filename, symbol)
        return tree

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return self.cell_name


class _EmittingHook(DisplayHook):
    emit: Any = AnyTrait()

    def __call__(self, result: Any = None) -> None:
        self.check_for_underscore()
        if result is None or self.quiet():
            return
        self.update_user_ns(result)
        data, _ = self.compute_format_data(result)
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

    def transform_cell(self, raw_cell: str) -> str:
        """Plain Python as it is: looking for magics token by token takes longer than most cells run."""
        text = raw_cell if raw_cell.endswith("\n") else raw_cell + "\n"
        tree = None if self.input_transformers_post else parse(text)
        self.compile.parsed = None if tree is None else (text, tree)
        if tree is not None:
            return text
        transformed: str = super().transform_cell(raw_cell)
        return transformed

    def should_run_async(self, raw_cell: str, **kwargs: Any) -> bool:
        """Only a cell that says `await` or `async` can need a loop; asking the compiler costs a compilation."""
        return ("await" in raw_cell or "async" in raw_cell) and bool(super().should_run_async(raw_cell, **kwargs))

    def _format_exception_for_storage(self, exception: BaseException, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Nothing is stored: a second traceback for a history that no one reads would double the cost of an error."""
        return {}

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        """Note the error that is being handled; IPython's own formatting takes ten times as long as the standard one."""
        error = sys.exc_info()[1]
        self.shown = [] if error is None else traceback_lines(error)

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """The same for text that is no Python."""
        self.showtraceback()

    def enable_matplotlib(self, gui: Any = None) -> tuple[str, str]:
        """Whatever backend a notebook asks for, no figure is rendered and no window opens."""
        return "agg", "agg"

    def enable_gui(self, gui: Any = None) -> None:
        """No window opens while a notebook is graded."""


def as_text(data: dict[str, Any]) -> dict[str, str]:
    """The text parts of a display; pictures are not kept while a notebook is graded."""
    return {kind: value[:100_000] for kind, value in data.items() if isinstance(value, str) and kind.startswith("text/")}


def parse(text: str) -> ast.Module | None:
    """The tree of a text that is Python without any magic, or None; no magic is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def traceback_lines(error: BaseException) -> list[str]:
    """The traceback from the first line of notebook code on; what lies above it is the shell's."""
    frames = error.__traceback__
    while frames is not None and not frames.tb_frame.f_code.co_filename.startswith("<cell "):
        frames = frames.tb_next
    try:
        return traceback.format_exception(type(error), error, frames, limit=-20)
    except Exception:  # a student's own __str__ or __cause__ may raise
        return [f"{type(error).__name__}\n"]


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
