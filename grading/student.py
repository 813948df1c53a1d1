"""A student's notebook as the checks see it: names to call and to read, answers as plain data.

`Student` is the same for a notebook in the sandbox and for one in this process; only the transport under it differs. Faults of a
student's code are StudentFault; nothing else that is raised here is the student's doing.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from grading.sandbox.inside.client import Client
from grading.sandbox.inside.codec import encode
from grading.wire import Bounds, Decoder, Frame, WireError

GOING_ON = -1  # a call's `seed` that leaves the generators as the call before did


class TransportFault(Exception):
    """The way to a student's code broke: our fault or the machine's, never the student's."""


class StudentFault(Exception):
    """Student code did not give an answer."""


class StudentError(StudentFault):
    """Student code raised: class names from the error's own up to `object`, its message, and where.

    The message is the student's text: it goes to the instructor's record, and to feedback only as `grading.messages` allows.
    """

    def __init__(self, path: str, classes: Sequence[str], message: str, where: tuple[str, int] | None) -> None:
        super().__init__(f"{path} raised {classes[0]}: {message}")
        self.path, self.classes, self.text, self.where = path, tuple(classes), message, where


class StudentMissing(StudentFault):
    """The notebook defines no such name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"`{name}` is not defined")
        self.name = name


class StudentFileMissing(StudentFault):
    """A file that the assignment asks for was not handed in, or could not be read."""

    def __init__(self, name: str) -> None:
        super().__init__(f"`{name}` was not handed in")
        self.name = name


class StudentTimeout(StudentFault):
    """A call used up its time."""


class StudentMemory(StudentFault):
    """A call asked for more memory than a submission may have."""


class StudentDied(StudentFault):
    """A call ended the process that the notebook ran in."""


@dataclass(frozen=True)
class Kept:
    """Names an object that stays with the student: a result kept under `path`, or a notebook name."""

    path: str


@dataclass(frozen=True)
class Seeded:
    """Stands for a fresh `torch.Generator` with this seed, made on the student's side."""

    seed: int


@dataclass(frozen=True)
class Gradients:
    """Asks for gradients of the sum over `of` of (result at path * cotangent), with respect to the arguments in `wrt`.

    Paths are sequences of indices into the result; arguments are named by position ("0") or keyword.
    """

    of: Sequence[tuple[Sequence[int], Any]]
    wrt: Sequence[str]


@dataclass(frozen=True)
class Reply:
    """What a call gave: its value, and testimony about what it did beside returning it."""

    value: Any
    changed: tuple[str, ...] = ()
    random_moved: bool = False
    operations: tuple[str, ...] = ()
    gradients: tuple[Any, ...] = ()


class Transport(Protocol):
    """Carries one request to the student's side and its reply back. Raises StudentTimeout, StudentMemory, StudentDied."""

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        """The reply to one request."""


Apart = Callable[[str], AbstractContextManager[Transport]]


@dataclass
class LocalTransport:
    """Asks objects of this process; for trusted code only (tests, the zoo, stock nbgrader)."""

    client: Client
    record: io.StringIO = field(default_factory=io.StringIO)

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        """The reply, through the same encoding as the pipe's."""
        with contextlib.redirect_stdout(self.record), contextlib.redirect_stderr(self.record):
            reply, out = self.client.answer(header, blob)
        if isinstance(self.client.cause, KeyboardInterrupt):
            raise self.client.cause
        return Frame(reply, out, self.client.cause)


@contextmanager
def local_apart(source: str) -> Iterator[Transport]:
    """A trusted text's names, in this process and beside no other's."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<apart>", "exec"), namespace)
    yield LocalTransport(Client(namespace))


@dataclass(frozen=True)
class HandedIn:
    """The files beside a notebook, as bytes that nobody has looked into, and a way to run a trusted text where they may be."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    apart: Apart = local_apart


class Student:
    """One submission's names, as one graded cell left them.

    `student.attention(Q, K, V, 4)` calls the student's function and returns its value; `ask` returns the whole Reply.
    `sources` maps grade ids to the text of the student's answers. `findings` is what checks have found out for the instructor.
    """

    def __init__(
        self,
        transport: Transport,
        cell: str,
        sources: Mapping[str, str],
        bounds: Bounds | None = None,
        handed_in: HandedIn | None = None,
    ) -> None:
        self._transport, self._cell, self._bounds = transport, cell, bounds or Bounds()
        self._handed_in = handed_in or HandedIn()
        self.sources = sources
        self.findings: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self.ask(name, *args, **kwargs).value

    def read(self, path: str) -> Any:
        """The value of a notebook name, as plain data."""
        return self._exchange({"verb": "read", "path": path, "cell": self._cell}, b"")[0]["value"]

    def file(self, name: str) -> bytes:
        """A handed-in file, never to be parsed where checks run. Raises StudentFileMissing."""
        if name not in self._handed_in.files:
            raise StudentFileMissing(name)
        return self._handed_in.files[name]

    @contextmanager
    def apart(self, source: str) -> Iterator[Student]:
        """The names of `source`, a text of the course's own, in a process that has run nothing of this notebook: the place to
        parse a handed-in file in."""
        with self._handed_in.apart(source) as transport:
            yield Student(transport, "", {}, self._bounds)

    def ask(
        self,
        path: str,
        *args: Any,
        keep: str | None = None,
        seed: int | None = None,
        gradients: Gradients | None = None,
        watch: bool = False,
        **kwargs: Any,
    ) -> Reply:
        """Call a dotted path with plain data, tensors, Kept and Seeded arguments. Raises StudentFault.

        The global generators are seeded with `seed`, or go on from the call before (GOING_ON), or stand anywhere (None).
        """
        blob = bytearray()
        request: dict[str, Any] = {"verb": "call", "path": path, "cell": self._cell, "keep": keep, "seed": seed, "watch": watch}
        request["args"] = [form(arg, blob) for arg in args]
        request["kwargs"] = {name: form(arg, blob) for name, arg in kwargs.items()}
        request["gradients"] = None
        if gradients is not None:
            of = [[list(path), form(cotangent, blob)] for path, cotangent in gradients.of]
            request["gradients"] = {"of": of, "wrt": list(gradients.wrt)}
        header, decoded = self._exchange(request, bytes(blob))
        return Reply(
            value=header["value"],
            changed=_texts(decoded.get("changed")),
            random_moved=decoded.get("random_moved") is True,
            operations=_texts(decoded.get("operations")),
            gradients=tuple(header["gradients"] or ()),
        )

    def _exchange(self, request: dict[str, Any], blob: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
        """The reply's decoded values, and its header as it came."""
        frame = self._transport.ask(request, blob)
        if "error" in frame.header:
            raise fault(request["path"], frame.header["error"], asked_names(request)) from frame.cause
        decoder = Decoder(frame.blob, self._bounds)
        values = {name: decoder.value(frame.header.get(name)) for name in ("value", "gradients")}
        found, wanted = values["gradients"], request.get("gradients")
        if not isinstance(found, list) if wanted else found is not None:
            raise WireError("gradients that are no list, or that nobody asked for")
        if wanted and len(found) != len(wanted["wrt"]):
            raise WireError("gradients of another number of arguments")
        return values, frame.header


def form(value: Any, blob: bytearray) -> Any:
    """The form of an argument; Kept and Seeded objects may stand at any depth of lists, tuples and dicts."""
    if isinstance(value, Kept):
        return {"kept": value.path}
    if isinstance(value, Seeded):
        return {"generator": value.seed}
    if type(value) in (list, tuple):
        items = [form(item, blob) for item in value]
        return items if type(value) is list else {"tuple": items}
    if type(value) is dict:
        return {"dict": [[form(k, blob), form(v, blob)] for k, v in value.items()]}
    encoded = encode(value, blob)
    if isinstance(encoded, dict) and "other" in encoded:
        raise TypeError(f"a {type(value).__name__} cannot be sent to a student")
    return encoded


def asked_names(request: Any) -> set[str]:
    """The first parts of all dotted paths in a request, those of Kept arguments included."""
    if isinstance(request, list):
        return set().union(*map(asked_names, request))
    if not isinstance(request, dict):
        return set()
    here = {request[key].split(".")[0] for key in ("path", "kept") if isinstance(request.get(key), str)}
    return here.union(*map(asked_names, request.values()))


def fault(path: str, error: Any, asked: Collection[str] = ()) -> StudentFault:
    """The fault that an error reply describes; only a name in `asked` can be missing. Raises WireError where it is none."""
    if not isinstance(error, dict) or not _texts(error.get("classes")) or not isinstance(error.get("message"), str):
        raise WireError("an error without classes or message")
    classes, message = _texts(error["classes"]), error["message"][:2000]
    if classes[0] == "NameMissing" and message in asked:  # a student's class may be called so too, and say anything
        return StudentMissing(message)
    if "MemoryError" in classes or "can't allocate memory" in message:
        return StudentMemory(f"asked `{path}`")
    return StudentError(path, classes, message, _where(error.get("where")))


def _where(where: Any) -> tuple[str, int] | None:
    if isinstance(where, list) and len(where) == 2 and isinstance(where[0], str) and type(where[1]) is int:
        return where[0][:100], where[1]
    return None


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
        return ()
    return tuple(v[:200] for v in values[:100])


def local_student(
    namespace: dict[str, Any],
    cell: str,
    sources: Mapping[str, str] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Student:
    """A Student over a dict of names in this process; `files` are those that were handed in beside them."""
    return Student(LocalTransport(Client(namespace)), cell, sources or {}, handed_in=HandedIn(files or {}))


__all__ = ["Gradients", "Kept", "Reply", "Seeded", "Student", "StudentError", "StudentFault", "local_student"]
