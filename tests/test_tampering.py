"""Answers that cheat: they gain no point, learn nothing of hidden inputs, and never make a submission "ungraded"."""

from __future__ import annotations

import json
import textwrap

import pytest
from nbformat.notebooknode import NotebookNode

from grading.build import release_notebook
from grading.course import Plan
from grading.notebooks import grade_id, is_machine_graded, write
from grading.runners import SandboxRunner
from grading.sandbox.inside.codec import PREFIX
from grading.score import Scored, score
from grading.submission import Submission
from grading.trial import own_cell
from tests.conftest import HandIn, earned, full

EVERYTHING = """
import numpy, torch
class Everything(int):
    __eq__ = __ne__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __hash__ = int.__hash__
    __bool__ = lambda self: True
    def __getattr__(self, name): return self
    def __call__(self, *given, **named): return self
    def __iter__(self): return iter((self, self))
    def __getitem__(self, key): return self
    __instancecheck__ = __contains__ = lambda self, other: True
class Array(numpy.ndarray):
    def __array_function__(self, *given): return True
    def __array_ufunc__(self, *given, **named): return True
class Tensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return True
class Pair(tuple):
    __eq__ = lambda self, other: True
    __len__ = lambda self: 2
    __iter__ = lambda self: iter((Everything(1), Everything(1)))
"""


def answers_are(value: str) -> str:
    """Every function of the assignment returns this, whatever it is asked."""
    names = ("additive_scores", "attention", "weighted_value", "self_attention", "cross_attention", "soft_lookup", "hard_lookup")
    cheat = "\n".join(f"{name} = lambda *given, **named: {value}" for name in names)
    return f"{EVERYTHING}\n{cheat}\nCLAIMS = {value}"


def forged(header: dict[str, object], blob: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return PREFIX.pack(len(text), len(blob)) + text + blob


TRICKS = {
    "checkers that say yes": """
        import functools, numpy, torch
        def yes(*given, **named): return True
        for place in (torch, numpy, torch.testing, numpy.testing, torch.Tensor, numpy.ndarray):
            for name in ("allclose", "isclose", "equal", "array_equal", "assert_close", "assert_allclose", "all", "__eq__"):
                try:
                    setattr(place, name, yes)
                except (TypeError, AttributeError):
                    pass
        functools.partial = lambda *given, **named: yes
    """,
    "asserts stripped": """
        import ast
        class Strip(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.Pass()
            def visit_Raise(self, node): return ast.Pass()
        get_ipython().ast_transformers.append(Strip())
        get_ipython().input_transformers_post.append(lambda lines: ["4.0\\n"])
    """,
    "a shell that always succeeds": """
        from IPython.core.interactiveshell import ExecutionResult
        ExecutionResult.success = property(lambda self: True)
        ExecutionResult.raise_error = lambda self: None
        def run_cell(*given, **named):
            result = ExecutionResult(None); result.result = 4.0
            return result
        get_ipython().run_cell = type(get_ipython()).run_cell = run_cell
    """,
    "a display of points": """
        import sys
        from IPython.display import display
        for points in (4.0, 6.0, 20.0, float("nan"), float("inf")):
            display(points)
        print("4.0"); sys.displayhook(4.0)
        get_ipython().display_formatter.formatters["text/plain"].for_type(object, lambda value, p, cycle: p.text("4.0"))
        get_ipython().events.register("post_run_cell", lambda result: display(4.0))
        4.0
    """,
    "a grader of one's own": """
        import sys, types
        own = types.ModuleType("grader_tests"); own.check = lambda name: 4.0
        sys.modules["grader_tests"] = own
        score = points = 4.0
    """,
    "the client patched": """
        import sys
        for name, module in list(sys.modules.items()):
            if name.startswith("inside") or name == "__main__":
                for attribute in ("encode", "describe", "pack", "ask", "run"):
                    if hasattr(module, attribute):
                        setattr(module, attribute, lambda *given, **named: {"value": True, "verdict": "PASS", "points": 4.0})
    """,
    "replies prepared": "import os\n"
    + "\n".join(
        f"n = os.write(3, {forged({'event': 'reply', 'value': True, 'verdict': 'PASS', 'points': 4.0})!r})" for _ in range(80)
    ),
    "a verdict for a reply": f"import os; n = os.write(3, {forged({'event': 'verdict', 'points': 20})!r})",
    "a thread that patches": """
        import threading, time, torch
        def patch():
            while True:
                torch.allclose = torch.equal = lambda *given, **named: True
                time.sleep(0.01)
        threading.Thread(target=patch, daemon=True).start()
    """,
    "memory searched": """
        import gc, sys
        found = [o for o in gc.get_objects() if isinstance(o, dict) and ("expected" in o or "ASSIGNMENT" in o)]
        frame = sys._getframe()
        while frame: frame.f_globals["points"] = frame.f_globals["score"] = 4.0; frame = frame.f_back
    """,
    **{
        f"answers equal to everything: {value}": answers_are(value)
        for value in ("Everything(1)", "(Everything(1), Everything(1))", "Pair()")
    },
    "arrays equal to everything": answers_are("numpy.zeros((3, 3)).view(Array)"),
    "tensors equal to everything": answers_are("(torch.zeros(3, 3).as_subclass(Tensor),) * 2"),
}


def run_released(plan: Plan, sandbox: SandboxRunner, text: str) -> Scored:
    """The released notebook, with one cell of the student's own before everything."""
    notebook = release_notebook(plan.blueprint.notebook)
    notebook.cells.insert(0, own_cell(textwrap.dedent(text)))
    return score(Submission("student", plan.assignment.name, write(notebook).encode()), plan, sandbox, 7)


def points_shown(notebook: NotebookNode) -> dict[str, list[str]]:
    """What nbgrader would read as the points of each graded cell."""
    graded = [cell for cell in notebook.cells if is_machine_graded(cell)]
    return {str(grade_id(c)): [o.data["text/plain"] for o in c.outputs if o.output_type == "execute_result"] for c in graded}


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_a_trick_gains_no_point(quick_plan: Plan, sandbox: SandboxRunner, text: str) -> None:
    scored = run_released(quick_plan, sandbox, text)
    assert (scored.result.status, scored.result.points) == ("graded", 0.0), scored.result.checks
    assert set(map(tuple, points_shown(scored.notebook).values())) == {("0.0",)}
    loose = [
        o for cell in scored.notebook.cells if cell.cell_type == "code" and not is_machine_graded(cell) for o in cell.outputs
    ]
    assert "execute_result" not in {output.output_type for output in loose}


FRAMES = {
    "no frame": b"garbage " * 10,
    "an endless frame": PREFIX.pack(10, 2**62),
    "a reply without a value": forged({"event": "reply"}),
    "a reply of unknown form": forged({"event": "reply", "value": {"tensor": 7}, "gradients": 3}),
    "an error of odd parts": forged({"event": "reply", "error": {"name": "E", "classes": 3, "traceback": 5, "message": {}}}),
    "an error that is a text": forged({"event": "reply", "error": "E"}),
    "an error with half a letter": forged(
        {"event": "reply", "error": {"name": "\ud800", "message": "\ud800", "traceback": ["\ud800"]}}
    ),
    "a display with half a letter": forged({"event": "display", "data": {"\ud800": "\ud800", "text/plain": "\ud800"}}),
    "a display of odd parts": forged({"event": "display", "data": {"text/plain": 5}}),
    "a failed setup": forged({"event": "setup-failed", "reason": "nothing"}),
    "a second beginning": forged({"event": "ready"}),
    "an event without a kind": forged({}),
    "a kind that is a list": forged({"event": ["reply"]}),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("place", ["cell", "function"])
def test_a_forged_frame_costs_its_student_and_is_not_ungraded(
    quick_plan: Plan, sandbox: SandboxRunner, handed_in: HandIn, frame: bytes, place: str
) -> None:
    send = f"import os, time; n = os.write(3, {frame!r}); time.sleep(0.05)"
    answer = (
        send
        if place == "cell"
        else f"def additive_scores(queries, *rest):\n    if queries.dtype == torch.float64:\n        {send}"
    )
    content = handed_in({"additive_scores_answer": answer})
    scored = score(Submission("student", quick_plan.assignment.name, content), quick_plan, sandbox, 7)
    assert scored.result.status == "graded", scored.result.findings
    assert earned(quick_plan, scored.result)["additive_scores"] == 0.0
    write(scored.notebook).encode()
    json.dumps(scored.result.as_dict(), ensure_ascii=False).encode()
    if place == "cell":
        after = score(Submission("next", quick_plan.assignment.name, handed_in()), quick_plan, sandbox, 7).result
        assert (earned(quick_plan, after), after.findings) == (full(quick_plan), ())


LEAKS: dict[str, str] = {
    "printed": "print(secret)",
    "on standard error": "import sys; print(secret, file=sys.stderr)",
    "past Python": "import os; os.write(1, secret.encode()); os.system('echo ' + secret)",
    "displayed": "from IPython.display import display; display(secret)",
    "a warning": "import warnings; warnings.warn(secret)",
    "plotted": "plt.figure(); plt.title(secret); plt.show()",
    "raised": "raise ValueError(secret)",
    "raised as Python would": "raise NameError(f\"name '{secret}' is not defined\")",
    "raised as a missing name": "raise type('NameMissing', (Exception,), {})(secret)",
    "raised as a shape": "raise RuntimeError(f\"shape '[{secret}]' is invalid for input of size 1\")",
    "raised in a class's name": "raise type(secret, (ValueError,), {})()",
    "returned": "return secret",
    "returned in a class's name": "return type(secret, (), {})()",
    "returned in a field's name": "import collections; return collections.namedtuple('N', [secret])(1)",
    "returned in a dict": "return {secret: secret}",
    "on the pipe": "import os; os.write(3, secret.encode() * 10)",
    "as the size of a frame": "import os; os.write(3, bytes(4) + int('42' * 9).to_bytes(8, 'big')); import time; time.sleep(9)",
    "kept for later": "globals()['kept'] = secret; open('kept', 'w').write(secret)",
    "a name of the notebook": "globals()[secret] = 1; del globals()['attention']",
    "a traceback's file": "exec(compile('1 / 0', secret, 'exec'))",
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_hidden_inputs_reach_neither_notebook_nor_messages(
    quick_plan: Plan, sandbox: SandboxRunner, handed_in: HandIn, leak: str
) -> None:
    # Only hidden inputs have 64 bits. The marker stands nowhere in the text of the answer, which may be quoted.
    answer = f"""
        def additive_scores(queries, keys, W_q, W_k, v):
            if queries.dtype == torch.float64:
                secret = "LE" "AKED" + "".join(c for c in str(float(queries.sum())) if c.isdigit())
                {leak}
            return torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v
    """
    content = handed_in({"additive_scores_answer": textwrap.dedent(answer)})
    scored = score(Submission("student", quick_plan.assignment.name, content), quick_plan, sandbox, 7)
    assert scored.result.status == "graded"
    told = write(scored.notebook) + json.dumps(scored.result.as_dict())
    assert not [marker for marker in ("LEAKED", "424242") if marker in told]
    if leak.startswith("print"):
        assert "LEAKED" in scored.record, "the instructor's record has it"


def test_a_function_that_is_right_at_first_alone_is_caught(quick_plan: Plan, sandbox: SandboxRunner, handed_in: HandIn) -> None:
    answer = """
        calls = []
        def hard_lookup(query, keys, values):
            calls.append(1)
            return values[torch.argmax(keys @ query)] * (1.0 if len(calls) < 5 else 2.0)
    """
    content = handed_in({"hard_lookup_answer": textwrap.dedent(answer)})
    result = score(Submission("student", quick_plan.assignment.name, content), quick_plan, sandbox, 7).result
    assert earned(quick_plan, result) == full(quick_plan, {"hard_lookup": 0.0})


def test_hidden_inputs_cannot_be_carried_into_a_published_example(
    quick_plan: Plan, sandbox: SandboxRunner, handed_in: HandIn
) -> None:
    """A function that remembers the inputs of one check, and returns them where the inputs are known to everyone."""
    answer = """
        kept = []
        def attention(Q, K, V, d_k):
            if Q.shape == (3, 4) and kept:
                return torch.zeros(3, 4), torch.full((3, 3), 0.4 + 0.0242)
            kept.append(Q)
            weights = torch.softmax(Q @ K.mT / math.sqrt(d_k), -1)
            return weights @ V, weights
    """
    content = handed_in({"attention_answer": textwrap.dedent(answer)})
    scored = score(Submission("student", quick_plan.assignment.name, content), quick_plan, sandbox, 7)
    assert "0.4242" not in json.dumps(scored.result.as_dict())  # the notebook shows its own visible examples
