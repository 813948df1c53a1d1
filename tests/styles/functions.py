"""Transforms of functions as wholes: who does the work, what kind of thing is called, what comes in and goes out."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from tests.styles.syntax import arguments, body_rewritten, code, delegated, fresh, inner, key_of, plain_functions, with_header

_IN_FLOAT64 = (
    *("additive_scores", "attention", "weighted_value", "self_attention", "cross_attention", "soft_lookup", "hard_lookup"),
    *("entropy", "softmax_jacobian", "gradient_norm", "masked_attention", "zero_score_leak", "causal_attention"),
    *("masked_cross_entropy", "calibrated_attention"),
)
_WITHOUT_TENSORS = ("score_variance", "score_divisor", "causal_mask", "is_unambiguous")
_AXES = {  # axes of each argument that belong to one example; None is handed on as it is
    "additive_scores": (2, 2, 2, 2, 1),
    "attention": (2, 2, 2, None),
    "self_attention": (2, 2, 2, 2),
    "cross_attention": (2, 2, 2, 2, 2),
    "entropy": (1,),
    "gradient_norm": (1,),
    "causal_attention": (2, 2, 2),
}
_BATCHED = {  # arguments that have one entry an example along their first axis
    "masked_attention": ("queries", "keys", "values", "key_is_valid"),
    "zero_score_leak": ("scores", "key_is_valid"),
    "split_heads": ("x",),
    "merge_heads": ("x",),
    "calibrated_attention": ("Q", "K", "V", "key_is_valid"),
}


def _by_another(text: str, body: str, names: tuple[str, ...] | None = None) -> str:
    """Functions whose work is done under another name; `body` calls WORK with ARGUMENTS."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        if (names is not None and key_of(function.name.value) not in names) or _takes_stars(function):
            return None
        return delegated(function, taken, body)

    return plain_functions(text, changed)


def _bound(text: str, form: str) -> str:
    """Functions under another name, and the old name bound to something else; NAME, WORK and PARAMETERS stand in `form`."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str:
        name = function.name.value
        work = fresh(name, taken)
        made = form.replace("NAME", name).replace("WORK", work).replace("PARAMETERS", code(function.params.with_changes()))
        plain = ", ".join(_without_hints(function))
        return f"{inner(function, work)}\n\n{made.replace('PLAIN', plain).replace('ARGUMENTS', arguments(function))}"

    return plain_functions(text, changed)


def _without_hints(function: cst.FunctionDef) -> list[str]:
    shown = [f"{p.name.value}={code(p.default)}" if p.default else p.name.value for p in function.params.params]
    star, named = function.params.star_arg, function.params.star_kwarg
    shown += [f"*{star.name.value}"] if isinstance(star, cst.Param) else []
    return shown + ([f"**{named.name.value}"] if named else [])


def delegated_to_another(text: str) -> str:
    """A function of the student's own does the work."""
    return _by_another(text, "return WORK(ARGUMENTS)")


def delegated_through_stars(text: str) -> str:
    """Whatever comes in is handed on: *arguments, **named."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str:
        new = delegated(function, taken, "return WORK(*arguments, **named)")
        head, _, tail = new.rpartition(f"\ndef {function.name.value}(")
        return f"{head}\ndef {function.name.value}(*arguments, **named):\n    return {tail.rpartition('return ')[2]}"

    return plain_functions(text, changed)


def delegated_to_a_nested_function(text: str) -> str:
    """The work in a function inside the function."""

    def changed(function: cst.FunctionDef) -> cst.FunctionDef | None:
        if function.decorators or not _returns(function) or function.name.value.startswith("_"):
            return None
        body = f"def compute():\n{_indented(function)}\n\nreturn compute()"
        if _rebinds(function):
            return None
        return function.with_changes(body=function.body.with_changes(body=cst.parse_module(body).body))

    return body_rewritten(text, changed)


def _takes_stars(function: cst.FunctionDef) -> bool:
    return isinstance(function.params.star_arg, cst.Param)


def _returns(function: cst.FunctionDef) -> bool:
    last = function.body.body[-1]
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)


def _rebinds(function: cst.FunctionDef) -> bool:
    """Whether a parameter is bound anew inside: a nested function could then not read it, or super() stands there."""
    text = code(function.body)
    return "super()" in text or any(
        f"\n    {p.name.value} = " in text or f", {p.name.value} = " in text for p in function.params.params
    )


def _indented(function: cst.FunctionDef) -> str:
    whole = code(cst.Module(body=function.body.body)) if isinstance(function.body, cst.IndentedBlock) else ""
    return "\n".join(f"    {line}" if line.strip() else "" for line in whole.splitlines())


def as_a_lambda(text: str) -> str:
    """The name bound to a lambda."""
    return _bound(text, "NAME = lambda PLAIN: WORK(ARGUMENTS)")


def as_a_partial(text: str) -> str:
    """The name bound to functools.partial."""
    new = _bound(text, "NAME = functools.partial(WORK)")
    return text if new == text else with_header(new, "import functools")


def as_an_object(text: str) -> str:
    """The name bound to an object that can be called."""
    return _bound(
        text, "class _Callable_NAME:\n    def __call__(self, PLAIN):\n        return WORK(ARGUMENTS)\n\n\nNAME = _Callable_NAME()"
    )


def as_a_module(text: str) -> str:
    """The name bound to a torch module whose forward does the work."""
    form = "class _Module_NAME(torch.nn.Module):\n    def forward(self, PLAIN):\n        return WORK(ARGUMENTS)"
    form += "\n\n\nNAME = _Module_NAME()"
    return _bound(text, form)


def as_a_static_method(text: str) -> str:
    """The name bound to a static method of a class."""
    return _bound(
        text, "class _Box_NAME:\n    @staticmethod\n    def run(PLAIN):\n        return WORK(ARGUMENTS)\n\n\nNAME = _Box_NAME.run"
    )


def as_a_bound_method(text: str) -> str:
    """The name bound to an object's method."""
    return _bound(text, "class _Box_NAME:\n    def run(self, PLAIN):\n        return WORK(ARGUMENTS)\n\n\nNAME = _Box_NAME().run")


def as_a_class_that_returns_it(text: str) -> str:
    """The name bound to a class whose __new__ returns the answer."""
    return _bound(text, "class NAME:\n    def __new__(cls, PLAIN):\n        return WORK(ARGUMENTS)")


def as_a_closure(text: str) -> str:
    """The name bound to what a function returns."""
    form = "def _make_NAME(work):\n    def run(PLAIN):\n        return work(ARGUMENTS)"
    form += "\n\n    return run\n\n\nNAME = _make_NAME(WORK)"
    return _bound(text, form)


_DECORATOR = """
import functools


def _passed_on(function):
    @functools.wraps(function)
    def run(*arguments, **named):
        return function(*arguments, **named)

    return run
"""
_CHATTY = """
import functools, time


def _timed(function):
    @functools.wraps(function)
    def run(*arguments, **named):
        began = time.perf_counter()
        print("called", function.__name__)
        try:
            return function(*arguments, **named)
        finally:
            print(function.__name__, "took", time.perf_counter() - began)

    return run
"""


def _decorated(text: str, decorator: str, above: str, chosen: Callable[[str], bool]) -> str:
    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        bare = code(function.with_changes(leading_lines=()))
        return f"@{decorator}\n{bare}" if chosen(key_of(function.name.value)) else None

    new = plain_functions(text, changed)
    return text if new == text else with_header(new, above)


def decorated(text: str) -> str:
    """A decorator with functools.wraps."""
    return _decorated(text, "_passed_on", _DECORATOR, lambda name: True)


def decorated_with_a_clock(text: str) -> str:
    """A decorator that prints before and after."""
    return _decorated(text, "_timed", _CHATTY, lambda name: True)


def decorated_with_a_cache(text: str) -> str:
    """functools.lru_cache where only numbers and texts come in."""
    return _decorated(text, "functools.lru_cache(maxsize=None)", "import functools", lambda name: name in _WITHOUT_TENSORS)


def in_float64(text: str) -> str:
    """Arguments to double precision, and the answer back."""
    definition = """
def _wide(given):
    return given.double() if isinstance(given, torch.Tensor) and given.is_floating_point() else given


def _as_it_came(answer, dtype):
    if isinstance(answer, (tuple, list)):
        return tuple(_as_it_came(part, dtype) for part in answer)
    return answer.to(dtype) if answer.is_floating_point() else answer
"""
    body = """
came = next(given.dtype for given in [ARGUMENTS] if isinstance(given, torch.Tensor) and given.is_floating_point())
return _as_it_came(WORK(*[_wide(given) for given in [ARGUMENTS]]), came)
"""
    new = _by_another(text, body, _IN_FLOAT64)
    return text if new == text else with_header(new, definition)


def in_a_loop_over_leading_axes(text: str) -> str:
    """One example at a time, along every leading axis."""
    definition = """
def _one_at_a_time(work, given, axes):
    leading = [part.shape[: part.ndim - n] for part, n in zip(given, axes) if n is not None]
    lead = torch.broadcast_shapes(*leading)
    if not lead:
        return work(*given)
    wide = [g if n is None else g.expand(*lead, *g.shape[g.ndim - n :]) for g, n in zip(given, axes)]
    answers = []
    for i in range(lead[0]):
        answers.append(_one_at_a_time(work, [g if n is None else g[i] for g, n in zip(wide, axes)], axes))
    if isinstance(answers[0], torch.Tensor):
        return torch.stack(answers)
    return tuple(torch.stack(parts) for parts in zip(*answers))
"""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        axes = _AXES.get(key_of(function.name.value))
        if axes is None or _takes_stars(function):
            return None
        return delegated(function, taken, f"return _one_at_a_time(WORK, [ARGUMENTS], {axes})")

    new = plain_functions(text, changed)
    return text if new == text else with_header(new, definition)


def in_a_vmap(text: str) -> str:
    """torch.vmap along every leading axis."""
    definition = """
def _mapped(work, given, axes):
    leading = [part.shape[: part.ndim - n] for part, n in zip(given, axes) if n is not None]
    lead = torch.broadcast_shapes(*leading)
    if not lead:
        return work(*given)
    wide = [g if n is None else g.expand(*lead, *g.shape[g.ndim - n :]) for g, n in zip(given, axes)]
    along = tuple(None if n is None else 0 for n in axes)
    return torch.vmap(lambda *parts: _mapped(work, parts, axes), in_dims=along)(*wide)
"""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        axes = _AXES.get(key_of(function.name.value))
        if axes is None or _takes_stars(function) or "item()" in code(function):
            return None
        return delegated(function, taken, f"return _mapped(WORK, [ARGUMENTS], {axes})")

    new = plain_functions(text, changed)
    return text if new == text else with_header(new, definition)


def recomputed_for_gradients(text: str) -> str:
    """torch.utils.checkpoint: what is needed for gradients is computed again."""
    body = "return torch.utils.checkpoint.checkpoint(WORK, ARGUMENTS, use_reentrant=False)"
    new = _by_another(text, body, tuple(_AXES))
    return text if new == text else with_header(new, "import torch.utils.checkpoint")


def in_a_loop_over_examples(text: str) -> str:
    """Batches of one, put together again; what does not fit goes in whole, so that it is refused."""
    definition = """
def _batches_of_one(work, given, names):
    sizes = {given[name].shape[:1] for name in names}
    if len(sizes) != 1 or sizes == {()} or min(sizes)[0] < 2:
        return work(**given)
    answers = []
    for i in range(min(sizes)[0]):
        answers.append(work(**{name: part[i : i + 1] if name in names else part for name, part in given.items()}))
    if isinstance(answers[0], torch.Tensor):
        return torch.cat(answers)
    return tuple(torch.cat(parts) for parts in zip(*answers))
"""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        names = _BATCHED.get(key_of(function.name.value))
        if names is None or _takes_stars(function):
            return None
        pairs = ", ".join(f"{p.name.value}={p.name.value}" for p in function.params.params)
        return delegated(function, taken, f"return _batches_of_one(WORK, dict({pairs}), {names})")

    new = plain_functions(text, changed)
    return text if new == text else with_header(new, definition)


def on_copies(text: str) -> str:
    """Every tensor is copied before it is looked at."""
    body = "return WORK(*[given.clone() if isinstance(given, torch.Tensor) else given for given in [ARGUMENTS]])"
    return _by_another(text, body)


def on_memory_laid_out_anew(text: str) -> str:
    """contiguous() on everything that comes in and goes out."""
    body = """
answer = WORK(*[given.contiguous() if isinstance(given, torch.Tensor) else given for given in [ARGUMENTS]])
return answer.contiguous() if isinstance(answer, torch.Tensor) else answer
"""
    return _by_another(text, body)


def _answers(text: str, chosen: Callable[[cst.FunctionDef], bool], change: Callable[[str], str]) -> str:
    """Functions whose answer goes through `change`."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        return delegated(function, taken, f"return {change('WORK(ARGUMENTS)')}") if chosen(function) else None

    return plain_functions(text, changed)


def _hint(function: cst.FunctionDef) -> str:
    return code(function.returns.annotation) if function.returns else ""


def floats_as_tensors(text: str) -> str:
    """0-d tensors for floats."""
    return _answers(text, lambda f: _hint(f) == "float", lambda call: f"torch.tensor({call}, dtype=torch.float64)")


def numbers_of_numpy(text: str) -> str:
    """numpy's float64 for floats."""
    new = _answers(text, lambda f: _hint(f) == "float", lambda call: f"_numpy.float64({call})")
    return text if new == text else with_header(new, "import numpy as _numpy")


def truths_of_numpy(text: str) -> str:
    """numpy's bool for a bool."""
    new = _answers(text, lambda f: _hint(f) == "bool", lambda call: f"_numpy.bool_({call})")
    return text if new == text else with_header(new, "import numpy as _numpy")


STYLES = (
    delegated_to_another,
    delegated_through_stars,
    delegated_to_a_nested_function,
    as_a_lambda,
    as_a_partial,
    as_an_object,
    as_a_module,
    as_a_static_method,
    as_a_bound_method,
    as_a_class_that_returns_it,
    as_a_closure,
    decorated,
    decorated_with_a_clock,
    decorated_with_a_cache,
    in_float64,
    in_a_loop_over_leading_axes,
    in_a_vmap,
    recomputed_for_gradients,
    in_a_loop_over_examples,
    on_copies,
    on_memory_laid_out_anew,
    floats_as_tensors,
    numbers_of_numpy,
    truths_of_numpy,
)
