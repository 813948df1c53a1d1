"""One submission's stay in the sandbox: its cells run once, then questions; a child that dies is replaced.

A cell that ends its process costs that cell alone: the others run again in a fresh child without it. A question that ends the
process costs the check that asked it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grading.limits import Limits
from grading.sandbox.conversation import Answer, Budget, ChildGone, Conversation, Outputs, SetupFault, Spent, plain_text
from grading.sandbox.warm import SandboxFault, WarmParent
from grading.student import StudentDied, StudentFault, StudentTimeout
from grading.wire import Frame


@dataclass(frozen=True)
class LongRun:
    """Leave for one cell to take longer than others may: its limits of time, and who hears what it prints, as it prints it."""

    cpu_s: float
    wall_s: float
    heard: Callable[[bytes], None]


@dataclass(frozen=True)
class CellToRun:
    """A code cell's text, the name it is compiled under, and (for graded cells) its grade id and the names to keep.

    `given` is said of a cell whose text is the course's own; its figures are not made.
    """

    name: str
    source: str
    grade_id: str = ""
    keep: tuple[str, ...] | None = None
    given: bool = False
    long: LongRun | None = None


@dataclass(frozen=True)
class CellRun:
    """How a cell went: status "ok", "error", "timeout", "died" or "not run", the error's parts, and its outputs in order."""

    status: str
    detail: str = ""
    error: Mapping[str, Any] | None = None
    outputs: tuple[Mapping[str, Any], ...] = ()
    dropped_bytes: int = 0


class Session:
    """Runs the cells of one notebook and carries questions to what they left. A context manager."""

    def __init__(self, parent: WarmParent, cells: Sequence[CellToRun], files: Mapping[str, bytes], limits: Limits) -> None:
        self._parent, self._cells, self._files, self._limits = parent, cells, files, limits
        self._fatal: set[str] = set()
        self._lost_paths: dict[str, StudentFault] = {}  # asked once, with this outcome, and not again
        self._restarts, self._spent = 0, Spent()
        self._conversation: Conversation | None = None
        self._budget: Budget | None = None
        self.record = Outputs(limits.cell_output_bytes)
        self.runs: dict[str, CellRun] = {}

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._conversation is not None:
            self._drop_child()

    def run_cells(self) -> None:
        """Run every cell, again and again without those that end the process, until one child has lived to the end."""
        while True:
            try:
                self._run_once()
                return
            except ChildGone:
                self._lost_child()
                if self._restarts > self._limits.restarts:
                    self._give_up()
                    return

    def child_cpu_s(self) -> float:
        """Processor seconds of the child that there is now."""
        return self._living().child.usage().cpu_s

    @property
    def spent(self) -> Spent:
        """What the notebook has used in all, when it was last measured."""
        return self._conversation.spent if self._conversation else self._spent

    def rest(self) -> None:
        """End the child for now: one lives at a time. The next question runs the cells again, in another."""
        if self._conversation is not None:
            self._spent = self._conversation.spent
            self._drop_child()

    def begin_check(self) -> None:
        """Start the clock of one check; its questions share it."""
        if self._conversation is not None:
            self._budget = self._check_budget(self._conversation)

    def _check_budget(self, conversation: Conversation) -> Budget:
        timed_out = any(isinstance(fault, StudentTimeout) for fault in self._lost_paths.values())
        cpu_s = self._limits.check_after_timeout_cpu_s if timed_out else self._limits.check_cpu_s
        return conversation.budget(cpu_s, self._limits.check_wall_s)

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        """Transport for a Student. Raises StudentTimeout and StudentDied."""
        path = header["path"]
        if path in self._lost_paths:
            raise self._lost_paths[path]
        conversation = self._living()
        budget = self._budget or self._check_budget(conversation)
        try:
            answer = conversation.exchange(header, blob, budget, self.record)
        except ChildGone as gone:
            self._lost_child()
            # An exit status that student code chose while it was asked could carry hidden inputs out.
            reason = re.sub(r" with exit status \d+", "", str(gone))
            raise self._lose(path, StudentTimeout if "used more" in reason else StudentDied, reason) from gone
        if answer.stopped:
            raise self._lose(path, StudentTimeout, f"it used {answer.stopped}")
        return answer.frame

    def _lose(self, path: str, kind: type[StudentFault], reason: str) -> StudentFault:
        self._lost_paths[path] = kind(f"asked `{path}` in an earlier check, {reason}")
        return kind(f"asked `{path}`, {reason}")

    def _living(self) -> Conversation:
        if self._conversation is None:
            if self._restarts > self._limits.restarts:
                raise StudentDied("the notebook had ended its process too often")
            self.run_cells()
            self.begin_check()
        if self._conversation is None:
            raise StudentDied("the notebook had ended its process too often")
        return self._conversation

    def _run_once(self) -> None:
        self.runs = {name: run for name, run in self.runs.items() if name in self._fatal}
        self._conversation = conversation = Conversation(self._parent.start_child(self._limits), self._limits, self._spent)
        files = [[name, len(data)] for name, data in self._files.items()]
        conversation.send({"verb": "files", "files": files}, b"".join(self._files.values()))
        for cell in self._cells:
            if cell.name not in self._fatal:
                self._run_cell(cell, conversation)

    def _run_cell(self, cell: CellToRun, conversation: Conversation) -> None:
        outputs = Outputs(self._limits.cell_output_bytes, heard=cell.long.heard if cell.long else None)
        request = {"verb": "run", "name": cell.name, "source": cell.source, "given": cell.given}
        request |= {"cell": cell.grade_id, "keep": cell.keep}
        timed_out = any(run.status == "timeout" for run in self.runs.values())
        cpu_s = self._limits.cell_after_timeout_cpu_s if timed_out else self._limits.cell_cpu_s
        times = (cell.long.cpu_s, cell.long.wall_s) if cell.long else (cpu_s, self._limits.cell_wall_s)
        budget = conversation.budget(*times)
        try:
            answer = conversation.exchange(request, b"", budget, outputs)
        except ChildGone as gone:
            self._fatal.add(cell.name)
            status = "timeout" if "used more" in str(gone) else "died"
            self.runs[cell.name] = CellRun(status, str(gone), None, tuple(outputs.items), outputs.dropped_bytes)
            raise
        except SetupFault as fault:
            raise SandboxFault(f"a child could not be made safe: {fault}") from fault
        self.runs[cell.name] = describe_run(answer, outputs)

    def _lost_child(self) -> None:
        self._restarts += 1
        self._spent = self._conversation.spent if self._conversation else self._spent
        self._conversation = self._budget = None

    def _drop_child(self) -> None:
        if self._conversation is not None:
            self._conversation.child.end()
        self._conversation = self._budget = None

    def _give_up(self) -> None:
        for cell in self._cells:
            if cell.name not in self._fatal:
                self.runs[cell.name] = CellRun("not run", "other cells had ended the process too often")


def describe_run(answer: Answer, outputs: Outputs) -> CellRun:
    """A CellRun of a child's reply."""
    known = known_error(answer.frame.header.get("error"))
    items = tuple(outputs.items)
    if answer.stopped:
        return CellRun("timeout", f"it used {answer.stopped}", known, items, outputs.dropped_bytes)
    return CellRun("error" if known else "ok", "", known, items, outputs.dropped_bytes)


def known_error(error: Any) -> dict[str, Any] | None:
    """The parts of an error that a child tells of, held to their kinds and lengths: a student may have written the telling."""
    if not isinstance(error, dict) or not isinstance(error.get("name"), str):
        return None
    lines = error.get("traceback")
    traceback = [plain_text(line)[:2000] for line in lines[:40] if isinstance(line, str)] if isinstance(lines, list) else []
    return {
        "name": plain_text(error["name"])[:100],
        "message": plain_text(str(error.get("message", "")))[:2000],
        "traceback": traceback,
    }
