"""What must hold of a `MultiHeadAttention` beside its values: asked of the student's own answers, at any scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import multihead as reference
from grader_tests.references.multihead import Layers, Problem
from grader_tests.stretch.modules import CELL, SHAPES, USES, ask_module, build, draw_self
from grader_tests.stretch.own import is_own, is_right
from grader_tests.vocabulary.inputs import DTYPES, draw, non_contiguous
from grader_tests.vocabulary.modules import gradient_of_layer
from grader_tests.vocabulary.rules import GRADIENT_TOLERANCE, expect_pure, expect_repeatable
from grader_tests.vocabulary.shares import STRUCTURE
from grading.checks import CheckFailed, check
from grading.expectations import close, expect_close, expect_dtype, expect_tensor
from grading.student import Gradients, Student

NO_GRADIENT = "is there a detach(), item(), numpy() or torch.no_grad() on the way?"


@check(
    "multi_head_properties",
    cell=CELL,
    points=1,
    uses=USES,
    about="permuted tokens, an example alone, layouts, dtype, gradients, arguments left alone, nothing random",
)
def multi_head_properties(student: Student, generator: torch.Generator) -> None:
    """One sequence in all three roles, in train mode, as a module is when it is made."""
    for shape in SHAPES[:2]:
        for dtype in DTYPES:
            problem = draw_self(generator, shape, dtype)
            build(student, problem, (), train=True)
            expect_well_behaved(student, problem)
        problem = draw_self(generator, shape)
        build(student, problem, (), train=True)
        output, weights = ask_module(student, problem)
        if not is_own(student, output, weights, problem):  # own heads that mix tokens have been paid for there
            expect_equivariant(student, problem, output, generator)
        expect_gradients(student, problem, is_right(output, weights, problem), generator)


def expect_well_behaved(student: Student, problem: Problem) -> None:
    """No argument changed, nothing drawn, the dtype kept, and the same once more."""
    # A seed would hide that the random state moved, so none is given here.
    reply = student.ask("module", *problem[2:5], key_is_valid=problem.key_is_valid)
    expect_pure(reply, "MultiHeadAttention")
    first, again = ask_module(student, problem), ask_module(student, problem)
    for part, repeated, what in zip(first, again, ("the output", "the weights"), strict=True):
        if not isinstance(part, Tensor):
            raise CheckFailed(f"{what} came back as no tensor", "a tensor")
        expect_dtype(part, problem.queries.dtype, what)
        expect_repeatable(part, repeated, "MultiHeadAttention")


def expect_equivariant(student: Student, problem: Problem, output: Any, generator: torch.Generator) -> None:
    """Permuted tokens give permuted outputs, an example alone what it gives in the batch, another layout the same.

    Digits lost on the way are left to the checks of values.
    """
    x = problem.queries
    together = expect_tensor(output, tuple(x.shape), "the output")
    order = torch.randperm(x.shape[1], generator=generator)
    hint = "nothing here knows where a token stands; is a view mixing tokens with heads?"
    permuted = ask_module(student, same(problem, x[:, order]))[0]
    expect_close(
        permuted,
        together[:, order],
        "the output for permuted tokens, against the permuted output,",
        hint=hint,
        tolerance=STRUCTURE,
    )
    for i in range(len(x)):
        alone = ask_module(student, same(problem, x[i : i + 1]))[0]
        expect_close(alone, together[i : i + 1], "an example alone, against itself in the batch,", tolerance=STRUCTURE)
    for layout in (non_contiguous(x), x.transpose(0, 1).contiguous().transpose(0, 1)):
        other = ask_module(student, same(problem, layout))[0]
        expect_close(other, together, "the output for tokens in another layout", tolerance=STRUCTURE)


def same(problem: Problem, x: Tensor) -> Problem:
    """The problem with another sequence in all three roles."""
    return problem._replace(queries=x, keys=x, values=x)


def expect_gradients(student: Student, problem: Problem, right: bool, generator: torch.Generator) -> None:
    """A gradient reaches the tokens; for a right answer it is the definition's, and so are those of the four layers."""
    inputs = [x.clone().requires_grad_(True) for x in problem[2:5]]
    cotangent = draw(generator, *problem.queries.shape)
    given = Problem(problem.layers, problem.n_heads, *inputs)
    wanted = Gradients([((0,), cotangent)], ["0", "1", "2"])
    found = student.ask("module", *inputs, key_is_valid=None, gradients=wanted).gradients
    # One sequence stood in three roles: what reaches it is the sum, however the roles share it.
    total = summed(found, tuple(problem.queries.shape))
    if total is None or not bool(total.isfinite().all()) or not bool((total != 0).any()):
        raise CheckFailed("no gradient reaches the tokens from the output", "a gradient", NO_GRADIENT)
    if not right:
        return
    layers = [weight.clone().requires_grad_(True) for weight in problem.layers]
    result = (reference.multi_head_attention(given._replace(layers=Layers(*layers)))[0] * cotangent).sum()
    *expected, W_Q, W_K, W_V, W_O = torch.autograd.grad(result, [*inputs, *layers])
    expect_gradient(total, sum(expected[1:], expected[0]), "the tokens")
    for name, weight in Layers(W_Q, W_K, W_V, W_O)._asdict().items():
        expect_gradient(gradient_of_layer(student, name, cotangent, *problem[2:5], key_is_valid=None), weight, f"{name}.weight")


def summed(gradients: Sequence[Any], shape: tuple[int, ...]) -> Tensor | None:
    """The sum of the gradients that there are."""
    tensors = [expect_tensor(g, shape, "the gradient of the tokens") for g in gradients if g is not None]
    return sum(tensors[1:], tensors[0]) if tensors else None


def expect_gradient(found: Any, right: Tensor, where: str) -> None:
    """The gradient of the definition, to some digits less than a value."""
    if found is None:
        raise CheckFailed(f"no gradient reaches {where}", "a gradient for the tokens and for all four layers", NO_GRADIENT)
    gradient = expect_tensor(found, tuple(right.shape), f"the gradient of {where}")
    if not close(gradient, right, GRADIENT_TOLERANCE):
        raise CheckFailed(f"the gradient that reaches {where} differs from the definition's", "the gradient of the definition")
