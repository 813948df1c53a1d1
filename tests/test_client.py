"""The side of the pipe that touches a student's objects: what it calls, reads, keeps and reports."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import torch
from torch.nn import functional

from grading.sandbox.inside.client import Client, describe
from grading.student import Gradients, Kept, LocalTransport, Seeded, Student, StudentError, StudentMemory, StudentMissing

X = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)


def student_of(**names: Any) -> Student:
    """A student who defines these names; their cell is "cell"."""
    client = Client(dict(names))
    client.keep("cell", list(names))
    return Student(LocalTransport(client), "cell", {})


# Calling, reading, keeping.


def test_a_call_gives_what_the_function_returns() -> None:
    assert student_of(f=lambda a, b=1: [a, b]).f(2, b=3) == [2, 3]


def test_anything_that_can_be_called_is_a_function() -> None:
    assert torch.equal(student_of(layer=torch.nn.Identity()).layer(X), X)


def test_a_dotted_path_leads_to_attributes() -> None:
    student = student_of(layer=torch.nn.Linear(2, 3, bias=False))
    assert student.read("layer.in_features") == 2
    assert student.ask("layer.weight.sum").value.shape == ()


def test_torch_itself_can_be_called_unless_the_notebook_has_another() -> None:
    assert student_of().ask("torch.ones", 2).value.tolist() == [1, 1]
    assert student_of(torch=torch.nn.Identity()).ask("torch.forward", 5).value == 5


def test_a_name_is_seen_as_the_cell_left_it_even_if_it_is_bound_again_later() -> None:
    client = Client({"f": lambda: "first"})
    client.keep("cell", ["f", "g"])
    client.namespace |= {"f": lambda: "second", "g": lambda: "late"}
    student = Student(LocalTransport(client), "cell", {})
    assert student.f() == "first"
    assert student.g() == "late"  # it was missing when the cell ended, so it is looked up now
    assert Student(LocalTransport(client), "other", {}).f() == "second"


def test_a_result_is_kept_called_and_handed_back() -> None:
    student = student_of(make=lambda n: {"model": torch.nn.Linear(n, 1)}, width=lambda m: m["model"].in_features)
    assert student.ask("make", 3, keep="made").value["model"] is not None
    assert student.width(Kept("made")) == 3
    assert student.ask("width", m=Kept("made")).value == 3
    assert student.ask("made.keys").value is not None


def test_notebook_names_can_be_arguments_at_any_depth() -> None:
    assert student_of(f=lambda pair: pair[0][0](), g=lambda: 5).f([(Kept("g"),)]) == 5


def test_a_generator_argument_draws_what_its_seed_says() -> None:
    expected = torch.randn(3, generator=torch.Generator().manual_seed(4))
    assert torch.equal(student_of(f=lambda g: torch.randn(3, generator=g)).f(Seeded(4)), expected)


@pytest.mark.parametrize("path", ["missing", "missing.attribute"])
def test_a_missing_name_is_told_apart_from_an_error(path: str) -> None:
    with pytest.raises(StudentMissing) as caught:
        student_of().ask(path)
    assert caught.value.name == "missing"


def test_a_missing_argument_is_missing_and_a_missing_attribute_is_an_error() -> None:
    with pytest.raises(StudentMissing, match="model"):
        student_of(f=lambda m: m).f([Kept("model")])
    with pytest.raises(StudentError, match="AttributeError"):
        student_of(f=1).read("f.width")


# Testimony.


@pytest.mark.parametrize(
    ("function", "changed"),
    [
        (lambda x, y: x + y, ()),
        (lambda x, y: x.mul_(2), ("0",)),
        (lambda x, y: y.add_(1), ("y",)),
        (lambda x, y: (x.unsqueeze_(0), y.zero_()), ("0", "y")),
        (lambda x, y: x.requires_grad_(True), ("0",)),
        (lambda x, y: x.mul_(1), ()),
    ],
    ids=["none", "values", "keyword", "shape and values", "the wish for a gradient", "to the same values"],
)
def test_changed_arguments_are_reported_by_name(function: Any, changed: tuple[str, ...]) -> None:
    assert student_of(f=function).ask("f", X, y=X).changed == changed


def test_changes_are_seen_inside_lists_and_dicts_and_nan_is_no_change() -> None:
    student = student_of(f=lambda a, b, c: (a[0].zero_(), b["k"].append(1)))
    assert student.ask("f", [X], {"k": []}, float("nan")).changed == ("0", "1")
    assert student_of(f=lambda x: x).ask("f", X * torch.nan).changed == ()


def test_a_generator_is_there_to_be_drawn_from() -> None:
    assert student_of(f=lambda g: torch.rand(1, generator=g)).ask("f", Seeded(1)).changed == ()


READY_MADE = {
    "function": lambda x: functional.scaled_dot_product_attention(x, x, x),
    "module": lambda x: torch.nn.MultiheadAttention(2, 1).double()(x, x, x)[0],
    "low level": lambda x: torch.ops.aten.scaled_dot_product_attention(x, x, x),
}


@pytest.mark.parametrize("function", READY_MADE.values(), ids=READY_MADE.keys())
def test_ready_made_attention_is_seen_by_one_mode_or_the_other(function: Any) -> None:
    operations = student_of(f=function).ask("f", X[None], watch=True).operations
    assert any("attention" in name for name in operations)
    assert student_of(f=function).ask("f", X[None]).operations == ()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("axes", [2, 3, 4])
def test_ready_made_attention_is_seen_in_a_traced_function_where_only_the_second_mode_sees(axes: int) -> None:
    given = torch.ones([1] * (axes - 2) + [3, 4])
    traced = torch.jit.trace(lambda x: functional.scaled_dot_product_attention(x, x, x), (given,))
    operations = student_of(f=traced).ask("f", given, watch=True).operations
    assert any("attention" in name or "_safe_softmax" in name for name in operations)


def test_other_operations_are_not_reported() -> None:
    assert student_of(f=lambda x: torch.softmax(x @ x.T, -1)).ask("f", X, watch=True).operations == ()


# Gradients.


def gradients_of(function: Any, *paths: tuple[int, ...], wrt: tuple[str, ...] = ("0",)) -> tuple[Any, ...]:
    given = X.clone().requires_grad_(True)
    other = X.clone().requires_grad_(True)
    asked = Gradients([(path, torch.ones(2, 2, dtype=torch.float64)) for path in paths], wrt)
    return student_of(f=function).ask("f", given, y=other, gradients=asked).gradients


def test_gradients_are_those_of_the_sum_over_the_parts_named() -> None:
    found = gradients_of(lambda x, y: (x * y, {"deep": [x]}), (0,), wrt=("0", "y"))
    assert [g.tolist() for g in found] == [X.tolist(), X.tolist()]
    both = gradients_of(lambda x, y: (2 * x, 3 * x), (0,), (1,))
    assert both[0].tolist() == [[5, 5], [5, 5]]


def test_an_argument_that_is_not_used_has_no_gradient() -> None:
    found = gradients_of(lambda x, y: 2 * x, (), wrt=("0", "y"))
    assert found[0] is not None
    assert found[1] is None


@pytest.mark.parametrize(
    "function", [lambda x, y: (x * y).detach(), lambda x, y: torch.zeros(2, 2)], ids=["detached", "constant"]
)
def test_a_result_without_a_graph_has_no_gradients(function: Any) -> None:
    assert gradients_of(function, (), wrt=("0", "y")) == (None, None)


def test_a_zero_gradient_is_not_none() -> None:
    assert gradients_of(lambda x, y: 0 * x, ())[0].tolist() == [[0, 0], [0, 0]]


def test_a_path_that_leads_nowhere_is_an_error_of_the_answer() -> None:
    with pytest.raises(StudentError, match=r"TypeError|IndexError"):
        gradients_of(lambda x, y: (x,), (1,))


# Errors.


def raising(error: Any) -> Student:
    def f(*args: Any) -> None:
        raise error

    return student_of(f=f)


class Silent(Exception):
    def __str__(self) -> str:
        raise ValueError


class Leaving(Exception):
    def __str__(self) -> str:
        raise SystemExit


class Impostor(BaseException):
    pass


@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit(3), GeneratorExit(), Impostor("x"), StopIteration()], ids=repr)
def test_an_error_of_any_class_is_a_reply(error: BaseException) -> None:
    with pytest.raises(StudentError) as caught:
        raising(error).f()
    assert caught.value.classes == tuple(c.__name__ for c in type(error).__mro__)
    assert caught.value.text == str(error)


def test_an_instructors_interrupt_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        raising(KeyboardInterrupt()).f()


@pytest.mark.parametrize("error", [Silent(), Leaving()], ids=["ValueError", "SystemExit"])
def test_an_error_whose_text_raises_is_told_without_text(error: Exception) -> None:
    assert describe(error)["message"] == ""
    with pytest.raises(StudentError) as caught:
        raising(error).f()
    assert caught.value.text == ""


def test_long_texts_and_ancestries_are_cut() -> None:
    deep = type("x" * 300, (ValueError,), {})
    for _ in range(40):
        deep = type("y", (deep,), {})
    told = describe(deep("z" * 10**5))
    assert len(told["message"]) == 2000
    assert len(told["classes"]) == 20
    assert all(len(name) <= 100 for name in told["classes"])


def test_the_innermost_line_of_the_notebook_is_named() -> None:
    namespace: dict[str, Any] = {"torch": torch}
    exec(compile("def g(x):\n    return x.view(7)\n", "<cell 3>", "exec"), namespace)
    exec(compile("def f(x):\n\n    return g(x)\n", "<cell 5>", "exec"), namespace)
    with pytest.raises(StudentError) as caught:
        Student(LocalTransport(Client(namespace)), "cell", {}).f(X)
    assert caught.value.where == ("<cell 3>", 2)


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried")], ids=["Python", "torch"]
)
def test_too_much_memory_is_told_apart(error: Exception) -> None:
    with pytest.raises(StudentMemory):
        raising(error).f()


def test_a_result_that_is_too_large_to_send_is_too_much_memory() -> None:
    with pytest.raises(StudentMemory):
        student_of(f=lambda: torch.zeros(1).expand(10**15)).f()


def test_warnings_are_no_errors_and_prints_go_to_the_record() -> None:
    client = Client({"f": lambda: (print("loud"), warnings.warn("careful", stacklevel=1), 3)[2]})
    transport = LocalTransport(client)
    assert Student(transport, "cell", {}).f() == 3
    assert transport.record.getvalue() == "loud\n"
