"""Checks of `dot_products`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from grader_tests.m2.laws import Outcome, expect_outcomes, law_outcome
from grader_tests.references import variance as reference
from grader_tests.vocabulary.draws import (
    agree,
    common_mistake,
    expect_generator_obeyed,
    flat_sample,
    fresh_integers,
    fresh_seeds,
    seeded,
)
from grading.checks import CheckFailed, check
from grading.expectations import expect, expect_tensor
from grading.student import Seeded, Student

LAW_DRAWS = 40_000
WIDTH_DRAWS = 4_000
SINGLES = 40
SCALE_DISTANCE = 0.25


def sample(student: Student, n: int, d_k: int, seed: int) -> Tensor:
    """(n,): the student's draws, in float64."""
    return flat_sample(student.dot_products(n, d_k, Seeded(seed)), n, "the dot products")


@dataclass(frozen=True)
class Order:
    """Whether draws are the reference's, number by number, and the known mistake that they are otherwise, or nothing."""

    kept: bool
    mistake: str


def order_of_draws(student: Student, generator: torch.Generator) -> Order:
    """Compare with q drawn before k, for four sizes."""
    mistakes: list[list[str]] = []
    for low, high, width in ((1, 2, 2), (20, 60, 3), (20, 60, 12), (200, 300, 33)):
        (n,), (seed,) = fresh_integers(generator, low, high, 1), fresh_seeds(generator, 1)
        found = sample(student, n, width, seed)
        if not agree(found, reference.dot_products(n, width, seeded(seed))):
            known = reference.mistaken_dot_products(n, width, seed).items()
            mistakes.append([name for name, wrong in known if agree(found, wrong)])
    return Order(not mistakes, common_mistake(mistakes))


@check(
    "dot_products_drawn",
    cell="dot_products",
    points=1,
    uses=("dot_products",),
    about="one number for each row, drawn from the generator that is handed in",
)
def dot_products_drawn(student: Student, generator: torch.Generator) -> None:
    """Shape and dtype, also for one row and one coordinate; then what a generator argument promises."""
    for n, d_k in (*zip(fresh_integers(generator, 20, 90, 3), (7, 1, 40), strict=True), (1, 5), (1, 1), (2, 9)):
        (seed,) = fresh_seeds(generator, 1)
        found = expect_tensor(student.dot_products(n, d_k, Seeded(seed)), (n,), f"the dot products of {n} rows of width {d_k}")
        expect(bool(found.isfinite().all()), "NaN or infinity among the dot products", "finite numbers")
    (n,) = fresh_integers(generator, 30, 60, 1)
    expect_generator_obeyed(student, "dot_products", (n, 6), generator)


def width_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """Magnitudes at d_k = 16 and 64 against their exact law, n = 4,000 each: bound 0.25, false fail 2 exp(-2 n / 16) < 1e-200.

    Scale is judged here and nothing else, so the bound is wide: draws of the right variance and another law (uniform, signs,
    one key for all, the normal shortcut) pass here and fail below. Distances at d_k = 16: the same vector twice 0.91, mean for
    sum 0.83, divided by sqrt(d_k) 0.52, uniform on 0 to 1 0.44. The nearest: missed(4000, 0.44, 0.25) = 2 exp(-288) < 1e-100.
    """
    outcomes = []
    for d_k, seed in zip((16, 64), fresh_seeds(generator, 2), strict=True):
        magnitudes = sample(student, WIDTH_DRAWS, d_k, seed).abs()
        cdf = partial(reference.magnitude_cdf, d_k=d_k)
        exact = law_outcome(f"width {d_k}", magnitudes, cdf, f"the magnitudes at d_k = {d_k}")
        outcomes.append(replace(exact, bound=SCALE_DISTANCE))
    return outcomes


@check(
    "dot_products_width",
    cell="dot_products",
    points=1,
    uses=("dot_products",),
    about="dot products that spread with the width as sums of d_k products do",
)
def dot_products_width(student: Student, generator: torch.Generator) -> None:
    """Number by number where q is drawn before k; otherwise by the spread at two widths."""
    order = order_of_draws(student, generator)
    if not order.kept:
        hint = order.mistake or "sum the products of each row; their variance is then d_k"
        expect_outcomes(width_outcomes(student, generator), hint)


def law_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """The law at d_k = 2, which is exactly Laplace(0, 1), n = 40,000, signed and as magnitudes: bound 0.0172, 1e-10 each.

    The law is symmetric, so a symmetric wrong law at signed distance D shows at 2 D among the magnitudes. Their distances:
    uniform 0.102, one side uniform 0.051, normal shortcut 0.123, signs 0.500, the same vector twice 0.250, mean for sum 0.250,
    one coordinate for two 0.197, one key for all rows at least 0.057 whatever its length. The nearest of these, one side
    uniform: missed(40000, 0.051, 0.0172) = 2 exp(-91) < 1e-39.
    """
    (seed,) = fresh_seeds(generator, 1)
    found = sample(student, LAW_DRAWS, 2, seed)
    return [
        law_outcome("law, signed", found, partial(reference.signed_cdf, d_k=2), "the dot products at d_k = 2"),
        law_outcome("law, magnitudes", found.abs(), partial(reference.magnitude_cdf, d_k=2), "the magnitudes at d_k = 2"),
    ]


def single_outcome(student: Student, generator: torch.Generator) -> Outcome:
    """Forty rows drawn one by one: the larger count of one sign, at most 39. False fail 2 * 2^-40 = 1.8e-12.

    What pairs a row with itself (q · q, or a key that is the queries shuffled or shifted) is positive forty times, for certain.
    """
    signs = [bool(sample(student, 1, 3, seed)[0] > 0) for seed in fresh_seeds(generator, SINGLES)]
    value = max(sum(signs), SINGLES - sum(signs))
    return Outcome("single rows", value, SINGLES - 1, "signs of single rows")


@check(
    "dot_products_law",
    cell="dot_products",
    points=1,
    uses=("dot_products",),
    about="dot products with the whole law of normal coordinates, not only their variance",
)
def dot_products_law(student: Student, generator: torch.Generator) -> None:
    """Number by number where q is drawn before k; otherwise by the law at d_k = 2, and rows that are drawn alone or in pairs."""
    order = order_of_draws(student, generator)
    if order.kept:
        return
    if order.mistake:
        raise CheckFailed("the dot products are those of a known mistake", "sums of d_k products", mistake=order.mistake)
    single = single_outcome(student, generator)
    expect(single.passed, "forty single rows with one sign", "both signs", "is the key a draw of its own, apart from the query?")
    # Two float32 numbers of this law are as large as each other with a chance below 1e-6, three times over below 1e-18.
    pairs = [sample(student, 2, 3, seed) for seed in fresh_seeds(generator, 3)]
    apart = any(bool(a.abs() != b.abs()) for a, b in pairs)
    expect(apart, "two rows that are always equally large", "rows that are drawn independently")
    hint = "are both sides standard normal, and is every row a draw of its own?"
    expect_outcomes(law_outcomes(student, generator), hint)
