"""Sentences that hold for every function of the course: arguments unchanged, nothing random, gradients that arrive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from grading.checks import CheckFailed
from grading.expectations import close, expect, expect_tensor
from grading.student import Gradients, Reply, Student

# Finite differences of the reference would be less exact than autograd in float64, which both sides use: sums in another order.
GRADIENT_TOLERANCE = 1e-7


def expect_pure(reply: Reply, name: str) -> None:
    """No argument changed, and nothing drawn from the global generators."""
    expect(
        not reply.changed,
        f"`{name}` changed one of its arguments in place",
        "arguments left as they are",
        "work on a new tensor: `x = x / 2`, not `x /= 2`",
    )
    expect(
        not reply.random_moved,
        f"`{name}` drew from the global random generator",
        "a result that is the same at every call",
        "is there a dropout, or a layer made inside the function?",
    )


def expect_repeatable(first: Any, second: Any, name: str) -> None:
    """Two calls with the same arguments give the same."""
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
) -> None:
    """Gradients of a random projection of the results agree with the reference's, for every tensor of floats among the arguments.

    `paths` says where in the student's result the parts lie; `reference` returns those parts as a tuple.
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
        _expect_gradient(gradient, right, f"argument {i + 1} of `{name}`", tolerance)


def _expect_gradient(found: Any, right: Tensor, argument: str, tolerance: float) -> None:
    if found is None:
        raise CheckFailed(
            f"no gradient reaches {argument}",
            "a gradient for every argument",
            "is there a detach(), item(), numpy() or torch.no_grad() on the way?",
        )
    gradient = expect_tensor(found, tuple(right.shape), f"the gradient of {argument}")
    expect(
        close(gradient, right, tolerance),
        f"the gradient that reaches {argument} differs from the definition's",
        "the gradient of the definition",
    )
