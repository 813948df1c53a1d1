"""Checks of `dot_products`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from grader_tests.m2.laws import Outcome, calls_outcome, expect_outcomes, law_outcome
from grader_tests.references import variance as reference
from grader_tests.vocabulary.draws import (
    DRAWN,
    agree,
    common_mistake,
    expect_generator_obeyed,
    flat_sample,
    fresh_integers,
    fresh_seeds,
    running_generator,
    seeded,
)
from grading.checks import CheckFailed, check
from grading.expectations import expect, expect_tensor
from grading.student import Seeded, Student

# Who multiplies all queries with all keys and keeps the diagonal needs n^2 numbers: draws are pooled from calls of this size.
CALL_DRAWS = 2_000
LAW_CALLS, NEIGHBOUR_CALLS = 20, 10
LAW_DRAWS, NEIGHBOUR_PAIRS = LAW_CALLS * CALL_DRAWS, NEIGHBOUR_CALLS * CALL_DRAWS // 2
WIDTH_CALLS, WIDTHS = 2, (16, 64, 256)
WIDTH_DRAWS = WIDTH_CALLS * CALL_DRAWS
SINGLES = 40
PRODUCT_ROWS = (2, 3, 7, 20)
FAR = 5.0
SCALE_DISTANCE = CALL_DISTANCE = 0.25
PAIRS = 5


def sample(student: Student, n: int, d_k: int, seed: int) -> Tensor:
    """(n,): the student's draws, in float64."""
    return flat_sample(student.dot_products(n, d_k, Seeded(seed)), n, "the dot products")


@dataclass(frozen=True)
class Order:
    """Whether draws are the reference's, number by number, and the known mistake that they are otherwise, or nothing."""

    kept: bool
    mistake: str


def order_of_draws(student: Student, generator: torch.Generator) -> Order:
    """Compare with q drawn before k, for several sizes; the widest is wider than any width of the lesson but the last."""
    mistakes: list[list[str]] = []
    for low, high, width in ((1, 2, 2), (20, 60, 3), (20, 60, 12), (200, 300, 33), (20, 60, 300)):
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
    """Magnitudes at d_k = 16, 64 and 256 against their exact law, n = 4,000 each: bound 0.25, false fail 2 exp(-n / 8) < 1e-200.

    Scale is judged here and nothing else, so the bound is wide: draws of the right variance and another law (uniform, signs,
    one key for all, the normal shortcut) pass here and fail below. Distances at d_k = 16: the same vector twice 0.91, mean for
    sum 0.83, divided by sqrt(d_k) 0.52, uniform on 0 to 1 0.44; at 256 no more
    than 64 coordinates 0.32. The nearest: missed(4000, 0.32, 0.25) < 1e-16.
    """
    outcomes = []
    for d_k in WIDTHS:
        seeds = fresh_seeds(generator, WIDTH_CALLS)
        magnitudes = torch.cat([sample(student, CALL_DRAWS, d_k, seed) for seed in seeds]).abs()
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
    """Number by number where q is drawn before k; otherwise by the spread at three widths."""
    order = order_of_draws(student, generator)
    if not order.kept:
        hint = order.mistake or "sum the products of each row; their variance is then d_k"
        expect_outcomes(width_outcomes(student, generator), hint)


def law_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """The law at d_k = 2, which is exactly Laplace(0, 1), n = 40,000, signed and as magnitudes: bound 0.0172, 1e-10 each.

    The law is symmetric, so a symmetric wrong law at signed distance D shows at 2 D among the magnitudes. Their distances:
    uniform 0.102, one side uniform 0.051, normal shortcut 0.123, signs 0.500, the same vector twice 0.250, mean for sum 0.250,
    one coordinate for two 0.197, one key of a fixed length for all rows at least 0.057. The nearest of these, one side
    uniform: missed(40000, 0.051, 0.0172) = 2 exp(-91) < 1e-39.

    A key that all rows of a call share is another one in each call, and the pooled law comes near to the right one. So each
    call's mean magnitude is to lie within a quarter of 1: a mean of 2,000 Exponential(1) numbers does save with a chance of
    exp(-53), twenty of them below 1e-21; 0.8 times a key's length does in twenty calls with a chance below 1e-8.
    """
    calls = [sample(student, CALL_DRAWS, 2, seed) for seed in fresh_seeds(generator, LAW_CALLS)]
    found, off = torch.cat(calls), max(abs(float(call.abs().mean()) - 1) for call in calls)
    return [
        Outcome("law, calls", off, CALL_DISTANCE, "the mean magnitudes of calls at d_k = 2"),
        law_outcome("law, signed", found, partial(reference.signed_cdf, d_k=2), "the dot products at d_k = 2"),
        law_outcome("law, magnitudes", found.abs(), partial(reference.magnitude_cdf, d_k=2), "the magnitudes at d_k = 2"),
    ]


def neighbour_outcomes(student: Student, generator: torch.Generator) -> list[Outcome]:
    """Gaps of 10,000 pairs of rows at d_k = 1, which have the law of magnitudes at d_k = 2: bound 0.0345, 1e-10 each.

    q_1 k_1 - q_2 k_2 is a dot product at d_k = 2 where the rows are independent. Pairs are neighbours once, and once rows half
    a sample apart. Distances: a key that neighbours share, or ten rows in a row, 0.102 (the gap is k times a normal number of
    variance 2), sorted rows above 0.9. The nearest: missed(10000, 0.102, 0.0345) = 2 exp(-91) < 1e-38.

    Before these, in the same 20,000 rows: a magnitude beyond 5. P(|q k| > 5) = 0.00217, so that none is with a chance of
    exp(-43) < 1e-18; where coordinates are cut off at 2.2 or less, none is ever beyond 4.84.
    """
    calls = [sample(student, CALL_DRAWS, 1, seed) for seed in fresh_seeds(generator, NEIGHBOUR_CALLS)]
    largest = float(torch.cat(calls).abs().max())
    neighbours = torch.cat([x[0::2] - x[1::2] for x in calls])
    halves = torch.cat([x[: CALL_DRAWS // 2] - x[CALL_DRAWS // 2 :] for x in calls])
    cdf = partial(reference.magnitude_cdf, d_k=2)
    return [
        Outcome("far", FAR / max(largest, 1e-9), 1.0, "the largest magnitude at d_k = 1"),
        law_outcome("rows, neighbours", neighbours.abs(), cdf, "gaps between neighbouring rows"),
        law_outcome("rows, halves", halves.abs(), cdf, "gaps between rows half a sample apart"),
    ]


def call_outcome(student: Student, generator: torch.Generator) -> Outcome:
    """2,000 rows of two calls with one generator, row by row at d_k = 1, by `calls_outcome`: bound 0.0880, 2e-10."""
    (seed,) = fresh_seeds(generator, 1)
    running = running_generator(student, seed)
    earlier, later = (flat_sample(student.dot_products(CALL_DRAWS, 1, running), CALL_DRAWS, "the dot products") for _ in range(2))
    return calls_outcome(earlier, later, generator, "rows of two calls with one generator")


def single_outcome(student: Student, generator: torch.Generator) -> Outcome:
    """Forty rows drawn one by one: the larger count of one sign, at most 39. False fail 2 * 2^-40 = 1.8e-12.

    What pairs a row with itself (q · q, or a key that is the queries shuffled or shifted) is positive forty times, for certain.
    """
    signs = [bool(sample(student, 1, 3, seed)[0] > 0) for seed in fresh_seeds(generator, SINGLES)]
    return one_sign("single rows", signs)


def product_outcome(student: Student, generator: torch.Generator) -> Outcome:
    """The sign of the product of all rows at d_k = 1, in forty calls: false fail as of single rows.

    Where the keys are the queries in another order, it is the product of all queries' squares: positive, for certain.
    """
    sizes = PRODUCT_ROWS * (SINGLES // len(PRODUCT_ROWS))
    seeds = fresh_seeds(generator, SINGLES)
    signs = [bool(sample(student, n, 1, seed).sign().prod() > 0) for n, seed in zip(sizes, seeds, strict=True)]
    return one_sign("products of rows", signs)


def one_sign(name: str, signs: Sequence[bool]) -> Outcome:
    """The larger count of one sign, of which not all may be."""
    return Outcome(name, max(sum(signs), len(signs) - sum(signs)), len(signs) - 1, f"signs of {name}")


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
    apart = "is the key a draw of its own, apart from the query?"
    expect(single_outcome(student, generator).passed, "forty single rows with one sign", "both signs", apart)
    expect(product_outcome(student, generator).passed, "forty samples whose product has one sign", "both signs", apart)
    expect_pairs_apart(student, generator)
    hint = "draw queries and keys from the generator that is handed in, in every call anew"
    expect_outcomes([call_outcome(student, generator)], hint)
    far, *gaps = neighbour_outcomes(student, generator)
    cut = "no magnitude beyond 5 among 20,000 at d_k = 1"
    expect(far.passed, cut, "the tails of normal coordinates", "do not cut the coordinates off")
    hint = "are both sides standard normal, and is every row a draw of its own?"
    expect_outcomes([*law_outcomes(student, generator), *gaps], hint)


def expect_pairs_apart(student: Student, generator: torch.Generator) -> None:
    """Samples of two are neither equally large, as after their mean was taken off, nor equally far apart, as after a division.

    At d_k = 3 a magnitude has a density of at most 0.64, a gap one of 0.38, and numbers are below 40 save with a chance of 1e-12,
    so that five pairs lie within DRAWN times their size of each other with a chance below 1e-11, and five gaps below 1e-10
    (computed in tests/test_m2_laws.py).
    """
    pairs = torch.stack([sample(student, 2, 3, seed) for seed in fresh_seeds(generator, PAIRS)])
    sizes, gaps = pairs.abs(), pairs.diff(dim=1).abs()
    apart = bool(((sizes[:, 0] - sizes[:, 1]).abs() > DRAWN * sizes.amax(dim=1)).any())
    expect(apart, "two rows that are always equally large", "rows that are drawn independently")
    varied = bool(((gaps - gaps[0]).abs() > DRAWN * gaps.max()).any())
    expect(varied, "two rows that are always equally far apart", "rows that are drawn independently")
