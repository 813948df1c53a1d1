"""Sentences that hold for every function of the course: arguments unchanged, nothing random, gradients that arrive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from grading.checks import CheckFailed
from grading.expectations import close, expect, expect_tensor
from grading.student import Gradients, Reply, Student, StudentError, StudentFault

# Finite differences of the reference would be less exact than autograd in float64, which both sides use: sums in another order.
GRADIENT_TOLERANCE = 1e-7


def expect_pure(reply: Reply, name: str, paid: Callable[[], bool] = lambda: False) -> None:
    """No argument changed, and the global generators left alone.

    `paid` is asked where they were not: whether a helper of the student's does it, which has been paid for there.
    """
    expect(
        not reply.changed,
        f"`{name}` changed one of its arguments in place",
        "arguments left as they are",
        "work on a new tensor: `x = x / 2`, not `x /= 2`",
    )
    expect(
        not reply.random_moved or paid(),
        f"`{name}` drew from the global random generator, or seeded it",
        "a result that is the same at every call, and random states left alone",
        "is there a dropout, a layer made inside the function, or a manual_seed?",
    )


def ask_in_any_layout(student: Student, name: str, *arguments: Any) -> Reply:
    """Ask with tensors that are not contiguous in memory; torch's error of a `view` of them is told with its remedy."""
    try:
        return student.ask(name, *arguments)
    except StudentError as error:
        if "view size is not compatible" not in error.text:
            raise
        raise CheckFailed(
            f"`{name}` stopped at a `view` of a tensor that is not contiguous in memory",
            "a result for tensors of any layout",
            "`view` needs contiguous memory; `reshape` does not",
        ) from error


def moves_random_state(student: Student, name: str, *arguments: Any) -> bool:
    """Whether a function of the student's draws from a global generator or seeds one."""
    try:
        return student.ask(name, *arguments).random_moved
    except StudentFault:
        return False


def expect_repeatable(first: Any, second: Any, name: str) -> None:
    """Two calls with the same arguments give the same; NaN, which equals nothing, is told as what it is."""
    for value in (first, second):
        if isinstance(value, Tensor) and value.dtype.is_floating_point:
            expect(bool(value.isfinite().all()), f"NaN or infinity from `{name}`", "finite numbers")
    same = isinstance(first, Tensor) and isinstance(second, Tensor) and close(second, first, 1e-6)
    expect(same, f"two calls of `{name}` with the same arguments gave different results", "the same result at every call")


def expect_gradients(
    student: Student,
    name: str,
    arguments: Sequence[Any],
    paths: Sequence[Sequence[int]],
    reference: Callable[..., Any],
    generator: torch.Generator,
    tolerance: float = GRADIENT_TOLERANCE,
    where: str = "",
) -> None:
    """Gradients of a random projection of the results agree with the reference's, for every tensor of floats among the arguments.

    `paths` says where in the student's result the parts lie; `reference` returns those parts as a tuple; `where` names the case.
    """
    wrt = [i for i, a in enumerate(arguments) if isinstance(a, Tensor) and a.is_floating_point()]
    given = [a.detach().clone().requires_grad_(True) if i in wrt else a for i, a in enumerate(arguments)]
    parts = reference(*given)
    cotangents = [torch.randn(part.shape, generator=generator, dtype=part.dtype) for part in parts]
    total = sum((part * cotangent).sum() for part, cotangent in zip(parts, cotangents, strict=True))
    expected = torch.autograd.grad(total, [given[i] for i in wrt])
    wanted = Gradients(list(zip(paths, cotangents, strict=True)), [str(i) for i in wrt])
    found = student.ask(name, *given, gradients=wanted).gradients
    for i, gradient, right in zip(wrt, found, expected, strict=True):
        _expect_gradient(gradient, right, f"argument {i + 1} of `{name}`{where}", tolerance)


def _expect_gradient(found: Any, right: Tensor, argument: str, tolerance: float) -> None:
    if found is None:
        raise CheckFailed(
            f"no gradient reaches {argument}",
            "a gradient for every argument",
            "is there a detach(), item(), numpy() or torch.no_grad() on the way?",
        )
    gradient = expect_tensor(found, tuple(right.shape), f"the gradient of {argument}")
    expect(
        bool(gradient.isfinite().all()),
        f"the gradient that reaches {argument} is NaN or infinite",
        "the gradient of the definition",
        "what is thrown away after it was computed still has a gradient, and 0.0 * NaN is NaN: replace it before it is used",
    )
    expect(
        close(gradient, right, tolerance),
        f"the gradient that reaches {argument} differs from the definition's",
        "the gradient of the definition",
    )
