"""The side of the pipe that touches a student's objects: it calls them, reads them and reports, and decides nothing.

Two verbs: `call` a dotted path (a notebook name, an object kept from an earlier call, or `torch`) and `read` one. What it reports
about a call (arguments changed, random state moved, operations seen) comes from the process that student code runs
in: testimony, which a check may use for single points only.
"""

from __future__ import annotations

import ctypes
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

from .codec import decode, encode, is_plain, plain_bytes

Request = dict[str, Any]

# What torch's own attention is made of: in a traced function its name is gone, and the softmax that only it uses is left.
_TWISTER = np.random.mtrand._rand._bit_generator  # numpy's global generator, a Mersenne twister of 624 words and a place
_TWISTER_BYTES = 4 * (624 + 1)
_ATTENTION = ("attention", "attn", "_safe_softmax")


class NameMissing(Exception):
    """The notebook defines no such name."""


class _FunctionLog(TorchFunctionMode):
    def __init__(self, seen: set[str]) -> None:
        super().__init__()
        self.seen = seen

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.add(str(resolve_name(func) or getattr(func, "__name__", "")))
        return func(*args, **(kwargs or {}))


class _DispatchLog(TorchDispatchMode):
    def __init__(self, seen: set[str]) -> None:
        super().__init__()
        self.seen = seen

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.add(str(func))
        return func(*args, **(kwargs or {}))


class Client:
    """Answers requests about the objects of one notebook's namespace."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.kept: dict[str, dict[str, Any]] = {}
        self.results: dict[str, Any] = {}
        self.cause: BaseException | None = None

    def keep(self, cell: str, names: list[str]) -> None:
        """Hold on to the objects that a cell's checks ask about, as they are when the cell has ended."""
        self.kept[cell] = {name: self.namespace[name] for name in names if name in self.namespace}

    def answer(self, request: Request, blob: bytes) -> tuple[dict[str, Any], bytes]:
        """The reply to one request; an error of student code is part of the reply, whatever its class."""
        out = bytearray()
        self.cause = None
        try:
            reply = self._call(request, blob, out) if request["verb"] == "call" else self._read(request, out)
        except BaseException as error:
            self.cause = error
            return {"error": describe(error)}, b""
        return reply, bytes(out)

    def _read(self, request: Request, out: bytearray) -> dict[str, Any]:
        return {"value": encode(self.find(request["path"], request["cell"]), out)}

    def _call(self, request: Request, blob: bytes, out: bytearray) -> dict[str, Any]:
        def resolve(path: str) -> Any:
            return self.find(path, request["cell"])

        function = resolve(request["path"])
        args = [decode(form, blob, resolve) for form in request["args"]]
        kwargs = {name: decode(form, blob, resolve) for name, form in request["kwargs"].items()}
        given = {**{str(i): arg for i, arg in enumerate(args)}, **kwargs}
        before = {name: fingerprint(arg) for name, arg in given.items()}
        prepare_generators(request["seed"])
        random_before = random_state() if request["seed"] is None else None
        seen: set[str] = set()
        with quiet_warnings(), watching(seen, request["watch"]):
            result = function(*args, **kwargs)
        moved = request["seed"] is None and random_before != random_state()
        changed = [name for name, arg in given.items() if fingerprint(arg) != before[name]]
        if request["keep"]:
            self.results[request["keep"]] = result
        reply = {"value": encode(result, out), "changed": changed, "random_moved": moved}
        reply["operations"] = sorted(name for name in seen if any(word in name for word in _ATTENTION))[:50]
        reply["gradients"] = encode(gradients(result, request["gradients"], given, blob), out)
        return reply

    def find(self, path: str, cell: str) -> Any:
        """The object at a dotted path, seen as the graded cell `cell` left it."""
        root, *rest = path.split(".")
        for place in (self.results, self.kept.get(cell, {}), self.namespace, {"torch": torch}):
            if root in place:
                found = place[root]
                break
        else:
            raise NameMissing(root)
        for name in rest:
            found = getattr(found, name)
        return found


def describe(error: BaseException) -> dict[str, Any]:
    """Class names, message, and the innermost line of notebook code, as (file name, line number)."""
    try:
        message = str(error)[:2000]
    except BaseException:  # a student's own __str__ may raise, SystemExit too
        message = ""
    where, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith("<cell "):
            where = [step.tb_frame.f_code.co_filename, step.tb_lineno]
        step = step.tb_next
    return {"classes": [c.__name__[:100] for c in type(error).__mro__][:20], "message": message, "where": where}


def fingerprint(value: Any) -> Any:
    """What an argument holds, to compare before and after a call; generators are there to be drawn from."""
    if isinstance(value, torch.Tensor) and is_plain(value):
        return value.dtype, value.shape, value.stride(), value.requires_grad, plain_bytes(value)
    blob = bytearray()
    form = encode(value, blob)
    return None if isinstance(value, torch.Generator) else (repr(form), bytes(blob))


def random_state() -> Any:
    """The state of the three global generators."""
    return torch.get_rng_state().numpy().tobytes(), numpy_state(), random.getstate()


def numpy_state() -> Any:
    """The state of numpy's global generator: from its memory, for get_state costs more than most calls that are asked.

    Student code may have put another generator in its place.
    """
    if np.random.mtrand._rand._bit_generator is _TWISTER:
        return ctypes.string_at(_TWISTER.ctypes.state_address, _TWISTER_BYTES)
    return repr(np.random.get_state(legacy=False))


def draw_from_all() -> None:
    """Move the three global generators on, so that a call that seeds one again and again changes its state every time.

    Numpy's is seeded from torch's: it may hold half of a pair of normal numbers, which would be drawn without a trace.
    """
    random.random()
    number = int(torch.randint(2**32, (1,)))
    if np.random.mtrand._rand._bit_generator is _TWISTER:
        np.random.seed(number)
    else:
        np.random.rand()


def prepare_generators(seed: int | None) -> None:
    """Seed the global generators, move them on (None), or leave them as the call before did (-1, `GOING_ON`)."""
    if seed is None:
        draw_from_all()
    elif seed != -1:
        seed_all(seed)


def seed_all(seed: int) -> None:
    """Seed the three global generators, where a check asks for it."""
    # torch.manual_seed also keeps a traceback for devices that are not there, which costs more than most calls.
    torch.default_generator.manual_seed(seed), np.random.seed(seed % 2**32), random.seed(seed)


@contextmanager
def quiet_warnings() -> Iterator[None]:
    """A warning is no error, whatever the notebook or a test runner has set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def watching(seen: set[str], watch: bool) -> Iterator[None]:
    """Record the names of torch's operations; both modes are needed, each misses what the other sees."""
    if not watch:
        yield
        return
    with _FunctionLog(seen), _DispatchLog(seen):
        yield


def gradients(result: Any, wanted: Any, given: dict[str, Any], blob: bytes) -> Any:
    """Gradients of sum(result[path] * cotangent) with respect to named arguments; None where no path leads there."""
    if not wanted:
        return None
    total: Any = 0.0
    for path, form in wanted["of"]:
        part = result
        for step in path:
            part = part[step]
        total = total + (part * decode(form, blob, lambda name: None)).sum()
    arguments = [given[name] for name in wanted["wrt"]]
    if not (isinstance(total, torch.Tensor) and total.requires_grad):
        return [None] * len(arguments)
    return list(torch.autograd.grad(total, arguments, allow_unused=True))
