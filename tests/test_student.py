"""A Student over any transport: what it asks, and that nothing a transport brings back is believed unmeasured."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grading.sandbox.inside.codec import encode
from grading.student import (
    GOING_ON,
    Gradients,
    Kept,
    Seeded,
    Student,
    StudentError,
    StudentFault,
    StudentMissing,
    asked_names,
    local_student,
)
from grading.wire import Bounds, Frame, WireError


class Scripted:
    """A transport that notes what is asked and answers what it was told."""

    def __init__(self, header: dict[str, Any], blob: bytes = b"") -> None:
        self.header, self.blob = header, blob
        self.asked: list[dict[str, Any]] = []

    def ask(self, header: dict[str, Any], blob: bytes) -> Frame:
        self.asked.append(header)
        return Frame(self.header, self.blob)


def answered(bounds: Bounds | None = None, blob: bytes = b"", **header: Any) -> Student:
    return Student(Scripted(header, blob), "cell", {}, bounds)


def error(message: Any = "", classes: Any = ("RuntimeError", "Exception", "object"), **more: Any) -> dict[str, Any]:
    return {"classes": list(classes) if isinstance(classes, tuple) else classes, "message": message} | more


def test_a_call_names_the_cell_and_carries_what_was_wished() -> None:
    transport = Scripted({"value": 3})
    student = Student(transport, "attention", {"answer": "text"})
    assert student.ask("f", 1, k=2, keep="kept", seed=5, watch=True).value == 3
    assert student.sources["answer"] == "text"
    asked = transport.asked[0]
    wished = {"verb": "call", "path": "f", "cell": "attention", "keep": "kept", "seed": 5, "watch": True}
    assert asked == {**wished, "args": [1], "kwargs": {"k": 2}, "gradients": None}


def test_names_with_an_underscore_are_not_asked_of_the_student() -> None:
    with pytest.raises(AttributeError):
        _ = answered(value=1)._hidden


def test_a_reply_without_a_value_is_none_and_without_testimony_says_nothing() -> None:
    reply = answered().ask("f")
    assert (reply.value, reply.changed, reply.random_moved, reply.operations, reply.gradients) == (None, (), False, (), ())


@pytest.mark.parametrize("forged", ["x", 1, {"a": 1}, [1], [["x"]], None])
def test_testimony_of_another_kind_says_nothing(forged: Any) -> None:
    reply = answered(value=1, changed=forged, operations=forged, random_moved=forged).ask("f")
    assert (reply.changed, reply.operations, reply.random_moved) == ((), (), False)


def test_testimony_is_cut() -> None:
    reply = answered(changed=["x" * 10**4] * 10**3).ask("f")
    assert len(reply.changed) == 100
    assert len(reply.changed[0]) == 200


def asking(count: int) -> Gradients:
    return Gradients([((), torch.ones(1))], [str(i) for i in range(count)])


@pytest.mark.parametrize("forged", [None, [], [None], [None] * 3, {"tuple": [None, None]}, 3, "xy"], ids=repr)
def test_gradients_of_another_number_or_kind_are_refused(forged: Any) -> None:
    with pytest.raises(WireError):
        answered(value=1, gradients=forged).ask("f", 1, 2, gradients=asking(2))


def test_gradients_that_were_not_asked_for_are_refused() -> None:
    with pytest.raises(WireError):
        answered(value=1, gradients=[1]).ask("f")
    with pytest.raises(WireError):
        answered(value=1, gradients=[1]).read("x")


def test_gradients_and_value_share_one_frame_and_one_bound() -> None:
    blob = bytearray()
    header = {"value": encode(torch.ones(2), blob), "gradients": encode([torch.zeros(2), None], blob)}
    reply = answered(blob=bytes(blob), **header).ask("f", gradients=asking(2))
    assert reply.value.tolist() == [1, 1]
    assert reply.gradients[0].tolist() == [0, 0]
    with pytest.raises(WireError):
        answered(Bounds(values=3), bytes(blob), **header).ask("f", gradients=asking(2))


@pytest.mark.parametrize(
    "forged",
    [
        None,
        "text",
        [],
        {},
        error(classes=[]),
        error(classes=[1]),
        error(classes="RuntimeError"),
        error(message=3),
        error(message=[[[]]]),
    ],
    ids=repr,
)
def test_an_error_reply_of_another_kind_is_refused(forged: Any) -> None:
    with pytest.raises(WireError):
        answered(error=forged).f()


@pytest.mark.parametrize(
    "where", [None, "x", [1, 2], ["<cell 1>"], ["<cell 1>", "1"], ["<cell 1>", True], ["<cell 1>", 1, 2]], ids=repr
)
def test_a_place_of_another_kind_is_no_place(where: Any) -> None:
    with pytest.raises(StudentError) as caught:
        answered(error=error(where=where)).f()
    assert caught.value.where is None


def test_an_error_keeps_its_place_and_its_text_bounded() -> None:
    with pytest.raises(StudentError) as caught:
        answered(error=error("x" * 10**5, where=["<cell 1>", 4])).f()
    assert caught.value.where == ("<cell 1>", 4)
    assert len(caught.value.text) == 2000


@pytest.mark.parametrize("name", ["f", "model", "deep"])
def test_only_names_that_were_asked_for_can_be_missing(name: str) -> None:
    student = answered(error=error(name, ("NameMissing", "Exception", "object")))
    with pytest.raises(StudentMissing) as caught:
        student.ask("f.part", Kept("model.layer"), [({"k": Kept("deep")},)])
    assert caught.value.name == name


@pytest.mark.parametrize("said", ["tensor([0.1234, 5.678])", "x", "", "part"])
def test_an_error_that_only_calls_itself_a_missing_name_is_an_error(said: str) -> None:
    class NameMissing(Exception):
        pass

    def f(x: Any) -> None:
        raise NameMissing(said)

    with pytest.raises(StudentFault) as caught:
        local_student({"f": f}, "cell").f(1)
    assert not isinstance(caught.value, StudentMissing)


def test_the_names_of_a_request_are_found_at_any_depth() -> None:
    transport = Scripted({})
    Student(transport, "cell", {}).ask("a.b", [Kept("c.d")], Seeded(1), "e", k={"path": (Kept("g"),)})
    assert asked_names(transport.asked[0]) == {"a", "c", "g"}


def test_a_value_is_decoded_within_the_bounds_of_the_student() -> None:
    with pytest.raises(WireError):
        answered(Bounds(values=5), value=[0] * 6).f()
    assert answered(Bounds(values=8), value=[0] * 6).f() == [0] * 6


def test_generators_are_seeded_or_go_on_or_stand_anywhere() -> None:
    student = local_student({"f": lambda: torch.rand(1).item()}, "cell")
    torch.manual_seed(3)
    expected = [torch.rand(1).item() for _ in range(3)]
    assert [student.ask("f", seed=seed).value for seed in (3, GOING_ON, GOING_ON)] == expected
    assert student.ask("f", seed=3).value == expected[0]
    assert student.ask("f").value != expected[1]
