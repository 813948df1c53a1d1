"""Checks of `soft_lookup` and `hard_lookup`."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from grader_tests.references import attention as reference
from grader_tests.vocabulary.compositions import (
    agree_in_secret_orders,
    attention_passes,
    expect_reached,
    own_composition,
    reached_arguments,
    same_value,
    varied,
)
from grader_tests.vocabulary.inputs import DTYPES, draw
from grader_tests.vocabulary.rules import expect_pure
from grading.checks import check
from grading.expectations import TOLERANCE, close, expect_close, expect_dtype
from grading.student import Student


def lookup_inputs(generator: torch.Generator, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    """query (4,), keys (6, 4), values (6, 7); the best key leads the second by at least 0.1 of a dot product.

    So many columns that not all of a mixture cancel at once, which would leave no digits to compare.
    """
    while True:
        query, keys, values = (
            draw(generator, 4, dtype=dtype),
            draw(generator, 6, 4, dtype=dtype),
            draw(generator, 6, 7, dtype=dtype),
        )
        best = (keys @ query).sort(descending=True).values
        if float(best[0] - best[1]) > 0.1:
            return query, keys, values


@check(
    "soft_lookup_values",
    cell="soft_lookup",
    points=1,
    uses=("soft_lookup", "attention"),
    about="values mixed by softmax(keys · query / temperature)",
)
def soft_lookup_values(student: Student, generator: torch.Generator) -> None:
    """Several temperatures, both dtypes."""
    for dtype in DTYPES:
        query, keys, values = lookup_inputs(generator, dtype)
        for temperature in (0.3, 1.0, 2.5):
            reply = student.ask("soft_lookup", query, keys, values, temperature)
            expected = reference.soft_lookup(query, keys, values, temperature).to(dtype)
            dots = (keys @ query).double()
            mistakes = {
                "the temperature divides the dot products; here it multiplies them": reference.softmax(dots * temperature)
                @ values.double(),
                "the scale sqrt(d) has no place here: the temperature is the only divisor": reference.softmax(
                    dots / temperature / 2
                )
                @ values.double(),
            }
            right = isinstance(reply.value, Tensor) and close(reply.value, expected, TOLERANCE[dtype])
            if not right and not equals_own_lookup(student, reply.value, (query, keys, values, temperature), generator):
                expect_close(
                    reply.value,
                    expected,
                    f"the mixture at temperature {temperature}",
                    mistakes=mistakes if temperature != 1 else None,
                )
            expect_pure(reply, "soft_lookup")


def equals_own_lookup(student: Student, found: Any, asked: tuple[Any, ...], generator: torch.Generator) -> bool:
    """Whether the answer is the student's own `attention`, asked with the query stretched by sqrt(d) / temperature."""
    query, keys, values, temperature = asked
    own = own_composition(student, stretched(query, temperature), keys, values)
    if own is None or not same_row(found, own, values.shape[-1], TOLERANCE[keys.dtype]):
        return False

    def composed(*trial: Any) -> Any:
        reply = student.ask("attention", stretched(trial[0], trial[3]), trial[1], trial[2], trial[1].shape[-1])
        return row_of(reply.value)

    # Lengths of the query and temperatures that only a right quotient of the two can tell apart.
    trials = [asked, *((query * scale, keys, values, t) for scale in (0.6, 1.0, 1.7) for t in (0.4, 0.9, 2.0))]
    trials += [(*one, temperature) for one in varied((query, keys, values), generator)]
    return agree_in_secret_orders(lambda *trial: student.soft_lookup(*trial), composed, trials, generator, TOLERANCE[keys.dtype])


def stretched(query: Tensor, temperature: float) -> Tensor:
    """(d,) to (1, d): the query that makes a lookup of an attention."""
    return query.unsqueeze(0) * (math.sqrt(query.shape[-1]) / temperature)


def row_of(own: Any) -> Any:
    """The output's one row, as far as there is one, of what `attention` gave."""
    output = own[0] if isinstance(own, (tuple, list)) and own else own
    return output.reshape(-1) if isinstance(output, Tensor) else output


def same_row(found: Any, own: Any, width: int, tolerance: float) -> bool:
    """Whether a lookup's answer, of the width of the values, is the row that `attention` gave."""
    return isinstance(found, Tensor) and tuple(found.shape) == (width,) and same_value(found, row_of(own), tolerance)


def overflow_hint(found: Any) -> str:
    """What to say of a cold lookup that is not finite; a finite wrong one has another fault."""
    overflown = isinstance(found, Tensor) and found.dtype.is_floating_point and not bool(found.isfinite().all())
    return "the dot products over a small temperature are large: softmax must not overflow" if overflown else ""


@check(
    "soft_lookup_limits",
    cell="soft_lookup",
    points=1,
    uses=("soft_lookup", "attention"),
    about="very small and very large temperatures, equally good keys, gradients",
)
def soft_lookup_limits(student: Student, generator: torch.Generator) -> None:
    """Cold: the best value, finite; hot: the mean; a tie shares."""
    query, keys, values = lookup_inputs(generator)
    best = values[(keys @ query).argmax()]
    cold = "the mixture at temperature 0.0001"
    for dtype in DTYPES:
        found = student.soft_lookup(query.to(dtype), keys.to(dtype), values.to(dtype), 1e-4)
        expect_dtype(expect_close(found, best.to(dtype), cold, hint=overflow_hint(found)), dtype, cold)
    # At temperature 1e12 weights differ from 1/n by about dots / 1e12; a mean that cancels is still far larger.
    expect_close(
        student.soft_lookup(query, keys, values, 1e12), values.mean(dim=0), "the mixture at temperature 1e12", tolerance=1e-7
    )
    keys, tied = (
        torch.tensor([[1.0, 0], [2, 1], [2, 5]], dtype=torch.float64),
        torch.tensor([[1.0], [10], [20]], dtype=torch.float64),
    )
    query = torch.tensor([3.0, 0], dtype=torch.float64)
    found = expect_close(
        student.soft_lookup(query, keys, tied, 1e-6),
        torch.tensor([15.0], dtype=torch.float64),
        "the cold mixture with two equally good keys",
    )
    expect_dtype(found, torch.float64, "the mixture")
    expect_soft_gradients(student, generator)


def expect_soft_gradients(student: Student, generator: torch.Generator) -> None:
    """A gradient for query, keys and values: what softness is for. What the student's own `attention` blocks is excused."""
    query, keys, values = lookup_inputs(generator)
    reached = reached_arguments(student, "soft_lookup", (query, keys, values, 1.0), (values.shape[-1],), path=())
    passes = (True, True, True) if all(reached) else attention_passes(student, query.unsqueeze(0), keys, values)
    for i, (here, passed) in enumerate(zip(reached, passes, strict=True)):
        expect_reached(here or not passed, "soft_lookup", i)


@check(
    "hard_lookup_values",
    cell="hard_lookup",
    points=1,
    uses=("hard_lookup",),
    about="the value of the key with the largest dot product",
)
def hard_lookup_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs in both dtypes, one where all dot products are negative, one whose best key is far and not aligned."""
    for dtype in (*DTYPES, torch.float64):
        query, keys, values = lookup_inputs(generator, dtype)
        reply = student.ask("hard_lookup", query, keys, values)
        found = expect_close(reply.value, reference.hard_lookup(query, keys, values).to(dtype), "the value looked up")
        expect_dtype(found, dtype, "the value looked up")
        expect_pure(reply, "hard_lookup")
    query, keys, values = lookup_inputs(generator)
    keys = keys - query * (float((keys @ query).max()) + 1.0) / float(query @ query)
    # Neither the first nor the last: what an answer comes to that finds none.
    best = int((keys @ query).argmax())
    keys[[best, 2]] = keys[[2, best]]
    expect_close(
        student.hard_lookup(query, keys, values),
        reference.hard_lookup(query, keys, values),
        "the value looked up where all dot products are negative",
    )
    query, keys, values = far_lookup_inputs(generator)
    expect_close(
        student.hard_lookup(query, keys, values),
        reference.hard_lookup(query, keys, values),
        "the value looked up where the key with the largest dot product is far from the query and points elsewhere",
    )


def far_lookup_inputs(generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Query, keys and values; another key lies along the query and near to it, and a third has the largest size of a dot product.

    For a query q of length 2 and a vector u of that length across it: 3 q + 4 u wins with 12, at a cosine of 0.6; 0.9 q is the
    nearest and has the cosine one; -4 q is against it. The dot products of other keys are below 2.
    """
    query, keys, values = lookup_inputs(generator)
    query = 2 * query / query.norm()
    across = torch.randn(query.shape, generator=generator, dtype=query.dtype)
    across = across - query * (across @ query) / (query @ query)
    across = across * query.norm() / across.norm()
    rows = torch.stack([0.9 * query, 3 * query + 4 * across, -4 * query])
    places = torch.randperm(len(keys), generator=generator)[:3]
    keys = keys * 0.1
    return query, keys.index_copy(0, places, rows), values


@check(
    "hard_lookup_ties",
    cell="hard_lookup",
    points=1,
    uses=("hard_lookup",),
    about="of equally good keys the first; the last key; a single key",
)
def hard_lookup_ties(student: Student, generator: torch.Generator) -> None:
    """Small integers, so that ties are exact in every order of summation."""
    query = torch.tensor([1.0, 2.0])
    for rows in (
        [[0, 1], [2, 2], [4, 1], [0, 3]],
        [[1, 0], [0, 0], [3, 0], [1, 1]],
        [[-1, 0]],
        [[-5, 0], [-1, 0], [1, -1]],
        [[5, 5], [1, 7], [1, 1]] * 9,
    ):
        keys = torch.tensor(rows, dtype=torch.float32)
        values = torch.arange(2.0 * len(rows)).reshape(-1, 2) + 1
        expected = reference.hard_lookup(query, keys, values).float()
        expect_close(
            student.hard_lookup(query, keys, values),
            expected,
            f"the value looked up among {len(rows)} keys",
            hint="of equally good keys the first counts",
        )
        one_wide = student.hard_lookup(query, keys, values[:, :1])
        expect_close(one_wide, expected[:1], "the value looked up among values of width one")
