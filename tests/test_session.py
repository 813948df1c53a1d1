"""The sandbox: limits, restarts, outputs in order, and that nothing gets out of a child or stays behind when it has gone."""

from __future__ import annotations

import ast
import textwrap
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from grading.finish import run_outputs
from grading.limits import Limits
from grading.sandbox.conversation import Outputs
from grading.sandbox.inside.codec import PREFIX
from grading.sandbox.session import CellRun, CellToRun, Session
from grading.sandbox.warm import WarmParent
from grading.student import Student, StudentDied, StudentError, StudentMemory, StudentTimeout

QUICK = Limits(
    cell_cpu_s=0.4,
    cell_after_timeout_cpu_s=0.2,
    cell_wall_s=0.8,
    check_cpu_s=0.4,
    check_after_timeout_cpu_s=0.2,
    check_wall_s=0.8,
    grace_s=0.2,
    output_bytes=300_000_000,
)


def cells(*texts: str) -> list[CellToRun]:
    return [CellToRun(f"<cell {i}>", textwrap.dedent(text)) for i, text in enumerate(texts)]


def run(parent: WarmParent, *texts: str, limits: Limits = QUICK, files: dict[str, bytes] | None = None) -> list[CellRun]:
    """Each cell's run, in a stay of its own."""
    with Session(parent, cells(*texts), files or {}, limits) as session:
        session.run_cells()
        return [session.runs[f"<cell {i}>"] for i in range(len(texts))]


def shown(outcome: CellRun) -> list[str]:
    """What a cell showed, an item each: printed text, displays, and its value."""
    return [bytes(o["data"]).decode() if "stream" in o else o["data"]["text/plain"] for o in outcome.outputs]


def value(parent: WarmParent, text: str) -> Any:
    """The value of an expression of plain data at the end of a cell."""
    (outcome,) = run(parent, text)
    assert outcome.status == "ok", outcome
    return ast.literal_eval(shown(outcome)[-1])


def status_of(outcomes: list[CellRun]) -> list[str]:
    return [outcome.status for outcome in outcomes]


def test_outputs_stand_in_the_order_in_which_they_were_made(parent: WarmParent) -> None:
    text = """
        import os, sys
        print("first"); display("second"); os.write(1, b"third\\n"); os.system("echo fourth"); display("fifth"); print("sixth")
        sys.stdout.write("seventh\\n"); display("eighth"); sys.stderr.write("ninth\\n"); sys.stderr.flush(); "tenth"
    """
    told = " ".join(shown(run(parent, text)[0]))
    words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
    assert [word for word in told.replace("'", " ").split() if word in words] == words


def test_a_cell_that_raises_leaves_the_cells_after_it_alone(parent: WarmParent) -> None:
    outcomes = run(
        parent, "kept = 1", "kept = 2; 1 / 0", "kept + 40", "def broken(:", "kept", "import sys; sys.exit(3)", "input()", "kept"
    )
    assert status_of(outcomes) == ["ok", "error", "ok", "error", "ok", "error", "error", "ok"]
    raised = [o.error["name"] for o in outcomes if o.error is not None]
    assert raised == ["ZeroDivisionError", "SyntaxError", "SystemExit", "EOFError"]
    assert shown(outcomes[2]) == ["42"]


LOOPS = {
    "plain": "while True: pass",
    "in a function": "def f():\n    while True: n = 1\nf()",
    "that catches everything": "while True:\n    try:\n        while True: n = 1\n    except BaseException: n = 2",
    "that ignores SIGINT": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: n = 1",
    "that blocks signals": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))\nwhile True: n = 1",
    "inside C": "sum(range(10**12))",
    "asleep": "import time; time.sleep(1000)",
    "waiting for a process": "import subprocess; subprocess.run(['sleep', '1000'])",
    "in a process of its own": "import os, time\nif os.fork() == 0:\n    while True: pass\ntime.sleep(1000)",
    "in a thread": "import threading\nt = threading.Thread(target=lambda: sum(range(10**12)))\nt.start(); t.join()",
}


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_a_loop_ends_at_its_limit_and_costs_its_own_cell_alone(parent: WarmParent, text: str) -> None:
    started = time.monotonic()
    outcomes = run(parent, "kept = 1", text, "kept + 41")
    assert status_of(outcomes) == ["ok", "timeout", "ok"], outcomes
    assert "it used more than 0." in outcomes[1].detail
    assert shown(outcomes[2]) == ["42"]
    assert time.monotonic() - started < 8


DEATHS = {
    "os._exit": ("import os; os._exit(3)", "it ended the process with exit status 3"),
    "a segfault": ("import ctypes; ctypes.string_at(0)", "the process was ended by SIGSEGV"),
    "abort": ("import ctypes; ctypes.CDLL(None).abort()", "the process was ended by SIG"),
    "a closed connection": ("import os; os.close(3)", ""),
}


@pytest.mark.parametrize(("text", "detail"), DEATHS.values(), ids=DEATHS)
def test_a_cell_that_ends_the_process_costs_itself_alone(parent: WarmParent, text: str, detail: str) -> None:
    outcomes = run(parent, "kept = 1", "print('before'); " + text, "kept + 41")
    assert status_of(outcomes)[::2] == ["ok", "ok"], outcomes
    assert outcomes[1].status == "died"
    assert detail in outcomes[1].detail
    assert shown(outcomes[2]) == ["42"]


def test_cells_that_end_the_process_again_and_again_are_left_out_one_by_one(parent: WarmParent) -> None:
    dying = ["import os; os._exit(1)"] * 20
    outcomes = run(parent, "kept = 1", *dying, "kept + 41")
    assert status_of(outcomes) == ["ok", *["died"] * 20, "ok"]


def test_a_notebook_that_ends_the_process_too_often_is_given_up_in_words(parent: WarmParent) -> None:
    outcomes = run(parent, *["import os; os._exit(1)"] * 4, "1", limits=replace(QUICK, restarts=2))
    assert status_of(outcomes) == ["died", "died", "died", "not run", "not run"]
    assert outcomes[4].detail == "other cells had ended the process too often"


def test_many_sleeping_cells_use_up_the_time_of_the_whole_notebook(parent: WarmParent) -> None:
    started = time.monotonic()
    outcomes = run(parent, *["import time; time.sleep(0.5)"] * 12, "41 + 1", limits=replace(QUICK, submission_wall_s=1.0))
    assert time.monotonic() - started < 5
    assert "timeout" in status_of(outcomes)
    assert any("for the whole notebook" in outcome.detail for outcome in outcomes)
    assert shown(outcomes[-1]) == ["42"]


@pytest.mark.parametrize(
    "text", ["print('a' * 10**8)", "print('a' * 150_000_000, end='')", "import os; os.system('head -c 100000000 /dev/zero')"]
)
def test_output_beyond_the_bound_is_counted_and_dropped(parent: WarmParent, text: str) -> None:
    outcome, after = run(parent, text, "41 + 1", limits=replace(QUICK, cell_cpu_s=3, cell_wall_s=9))
    assert outcome.status == "ok", outcome.detail
    assert sum(len(o["data"]) for o in outcome.outputs) == QUICK.cell_output_bytes
    assert outcome.dropped_bytes >= 10**8 - QUICK.cell_output_bytes
    assert shown(after) == ["42"]


def test_a_cell_that_never_stops_printing_is_ended(parent: WarmParent) -> None:
    limits = replace(QUICK, output_bytes=3_000_000, cell_cpu_s=3)
    outcome, after = run(parent, "while True: print('a' * 1000)", "41 + 1", limits=limits)
    assert (outcome.status, outcome.detail) == ("died", "it printed more than 3000000 bytes")
    assert shown(after) == ["42"]


EXCESSES = {
    "memory": ("bytearray(6 * 10**9)", "MemoryError"),
    "a tensor": ("import torch; torch.zeros(10**10)", "RuntimeError"),
    "a large file": ("open('big', 'wb').write(bytes(150_000_000))", "OSError"),
    "a full disk": ("for i in range(20): open(f'part{i}', 'wb').write(bytes(50_000_000))", "OSError"),
    "many files": ("for i in range(40_000): open(f'small{i}', 'w').close()", "OSError"),
    "many open files": ("kept = [open('/dev/null') for _ in range(1000)]", "OSError"),
}


@pytest.mark.parametrize(("text", "error"), EXCESSES.values(), ids=EXCESSES)
def test_too_much_of_anything_is_an_error_of_the_cell(parent: WarmParent, text: str, error: str) -> None:
    outcome, after = run(parent, text, "41 + 1", limits=replace(QUICK, cell_cpu_s=3, cell_wall_s=5))
    assert outcome.error is not None, outcome
    assert outcome.error["name"] == error
    assert shown(after) == ["42"]
    assert value(parent, "import os; os.listdir()") == []


@pytest.mark.parametrize(
    "start", ["if os.fork() == 0: time.sleep(60)", "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"]
)
def test_too_many_processes_are_refused_or_ended(parent: WarmParent, start: str) -> None:
    text = f"import os, threading, time\nfor _ in range(300):\n    {start}\ntime.sleep(60)"
    outcomes = run(parent, "kept = 1", text, "kept + 41", limits=replace(QUICK, cell_cpu_s=5, cell_wall_s=9))
    assert outcomes[1].status in ("died", "error"), outcomes[1]
    assert "64 processes and threads" in outcomes[1].detail or outcomes[1].error
    assert shown(outcomes[2]) == ["42"]


LEFT = {
    "threads, and the error": "for _ in range(300):\n    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "threads, and a caught error": "try:\n    while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    "except RuntimeError: pass",
    "processes": "try:\n    while os.fork(): pass\n    time.sleep(60)\nexcept OSError: pass",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_a_cell_leaves_running_is_not_held_against_the_next(parent: WarmParent, text: str) -> None:
    outcomes = run(parent, "import os, threading, time", text, "time.sleep(0.5); 41 + 1", limits=replace(QUICK, cell_cpu_s=5))
    assert outcomes[1].status == "died", outcomes[1]
    assert "64 processes and threads" in outcomes[1].detail
    assert shown(outcomes[2]) == ["42"]


GARBAGE = {
    "no frame": b"garbage " * 10,
    "an endless frame": PREFIX.pack(10, 2**62),
    "a header that is no JSON": PREFIX.pack(4, 0) + b"{{{{",
    "a list for a header": PREFIX.pack(2, 0) + b"[]",
    "an unknown event": PREFIX.pack(13, 0) + b'{"event": "x"}'[:13],
    "a display of numbers": PREFIX.pack(34, 0) + b'{"event":"display","data":{"a":1}}',
    "a failed setup": PREFIX.pack(24, 0) + b'{"event":"setup-failed"}',
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_garbage_on_the_pipe_costs_the_cell_that_wrote_it(parent: WarmParent, data: bytes) -> None:
    outcomes = run(parent, "kept = 1", f"import os, time; os.write(3, {data!r}); time.sleep(9)", "kept + 41")
    assert status_of(outcomes) == ["ok", "died", "ok"], outcomes
    assert outcomes[1].detail.startswith("it wrote to the grader's pipe")


def test_a_forged_display_is_text_alone(parent: WarmParent) -> None:
    forged = b'{"event":"display","data":{"application/javascript":"alert(1)","text/plain":"shown"}}'
    outcome, _ = run(parent, f"import os; n = os.write(3, {PREFIX.pack(len(forged), 0) + forged!r})", "1")
    assert [item["data"] for item in run_outputs(outcome)] == [{"text/plain": "shown"}]


@pytest.fixture
def asked(parent: WarmParent) -> Iterator[Session]:
    """A stay whose functions misbehave when they are asked."""
    text = """
        import os, time
        def right(): return 42
        def dies(): os._exit(3)
        def loops():
            while True: n = 1
        def sleeps(): time.sleep(1000)
        def resists():
            while True:
                try:
                    while True: n = 1
                except BaseException: n = 2
        def hungry(): return bytearray(6 * 10**9)
        def leaves(): raise SystemExit(0)
        def prints(secret): print("hidden", secret, flush=True); os.system("echo hidden"); print("at last"); return 42
        def garbles(): os.write(3, b"garbage " * 10); time.sleep(9)
    """
    with Session(parent, cells(text, "print('shown')"), {}, QUICK) as session:
        session.run_cells()
        yield session


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("dies", StudentDied),
        ("loops", StudentTimeout),
        ("sleeps", StudentTimeout),
        ("resists", StudentTimeout),
        ("hungry", StudentMemory),
        ("leaves", StudentError),
        ("garbles", StudentDied),
    ],
)
def test_a_function_that_gives_no_answer_costs_its_own_questions_alone(asked: Session, name: str, fault: type[Exception]) -> None:
    student = Student(asked, "", {})
    asked.begin_check()
    for _ in range(3):
        with pytest.raises(fault):
            student.ask(name)
    asked.begin_check()
    assert student.ask("right").value == 42
    assert shown(asked.runs["<cell 1>"]) == ["shown\n"]


def test_what_is_printed_while_a_function_is_asked_goes_to_the_record_alone(asked: Session) -> None:
    asked.begin_check()
    assert Student(asked, "", {}).prints(987_654) == 42
    assert b"hidden 987654\nhidden\nat last\n" in asked.record.items[0]["data"]
    assert "hidden" not in str(asked.runs)


def test_files_that_were_handed_in_lie_beside_the_notebook(parent: WarmParent) -> None:
    (outcome,) = run(parent, "import os; os.listdir(), open('notes.csv').read()", files={"notes.csv": b"a,b", "other.txt": b""})
    assert sorted(ast.literal_eval(shown(outcome)[0])[0]) == ["notes.csv", "other.txt"]
    assert "a,b" in shown(outcome)[0]


def test_between_two_displays_output_comes_before_errors_whichever_was_read_first() -> None:
    for parts in (("stdout", "stderr", "stdout"), ("stderr", "stdout", "stdout"), ("stdout", "stdout", "stderr")):
        outputs, said = Outputs(100), iter(b"12")
        for stream in parts:
            outputs.text(stream, bytes([next(said)]) if stream == "stdout" else b"e")
        outputs.event("display", {"data": {"text/plain": "shown"}})
        outputs.text("stderr", b"f")
        assert [item.get("data") for item in outputs.items] == [b"12", b"e", {"text/plain": "shown"}, b"f"]
