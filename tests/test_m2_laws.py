"""The statistical tests of m2_variance: their laws by other means, their false fails derived, their power against wrong laws."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from grader_tests.m2 import audit_laws, sampler, table
from grader_tests.m2.laws import CALLS_REFERENCE, FALSE_FAIL, chance_distance, distance_between, distance_to_law, missed
from grader_tests.references import variance as reference
from grader_tests.vocabulary.chances import bernstein
from tests.chance.laws import of_variance

MISSED = 1e-6
Draw = Callable[..., Tensor]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def uniform(*shape: int, generator: torch.Generator) -> Tensor:
    return (2 * torch.rand(*shape, generator=generator) - 1) * math.sqrt(3)


def signs(*shape: int, generator: torch.Generator) -> Tensor:
    return torch.randint(0, 2, shape, generator=generator) * 2.0 - 1.0


# The exact law, by other means.


@pytest.mark.parametrize("d_k", [2, 16, 64, 256])
def test_the_law_is_that_of_drawn_dot_products(d_k: int, generator: torch.Generator) -> None:
    drawn = torch.cat([reference.dot_products(50_000, d_k, generator) for _ in range(8)])
    bound = chance_distance(len(drawn))
    assert bound < 0.0055
    assert distance_to_law(drawn, lambda x: reference.signed_cdf(x, d_k)) < bound
    assert distance_to_law(drawn.abs(), lambda x: reference.magnitude_cdf(x, d_k)) < bound


def test_the_law_at_width_two_is_laplaces_and_its_moments_are_right() -> None:
    x = torch.linspace(0, 200, 400_001, dtype=torch.float64)
    torch.testing.assert_close(reference.magnitude_cdf(x, 2), 1 - torch.exp(-x), rtol=0, atol=1e-12)
    for d in (2, 4, 16, 64):
        tail = 1 - reference.magnitude_cdf(x, d)
        second = 2 * float(torch.trapezoid(x * tail, x))
        fourth = 4 * float(torch.trapezoid(x**3 * tail, x))
        assert second == pytest.approx(d, rel=1e-5)
        assert fourth / second**2 == pytest.approx(3 + 6 / d, rel=1e-5)


def test_a_sample_of_two_has_the_variance_that_the_pair_test_says(generator: torch.Generator) -> None:
    pairs = torch.randn(400_000, 2, generator=generator) * torch.randn(400_000, 2, generator=generator)
    root = (2 * pairs.double().var(dim=1, correction=1)).sqrt()
    assert distance_to_law(root, lambda x: 1 - torch.exp(-x)) < chance_distance(len(root))


# False fails.


@pytest.mark.parametrize("n", [200, 700, 1_600, 4_500, 10_000, 40_000])
def test_the_bound_of_one_sample_is_massarts(n: int) -> None:
    assert 2 * math.exp(-2 * n * chance_distance(n) ** 2) == pytest.approx(FALSE_FAIL)


def test_no_check_fails_a_right_answer_by_chance_more_often_than_once_in_1e9(generator: torch.Generator) -> None:
    by_check: dict[str, float] = defaultdict(float)
    for law in of_variance(generator):
        by_check[law.check] += law.false_fail
        assert law.false_pass < MISSED, law
    assert len(by_check) == 8
    assert max(by_check.values()) < 1e-9


@pytest.mark.parametrize("d_k", table.PUBLISHED_WIDTHS)
@pytest.mark.parametrize("side", [1, -1])
def test_an_estimate_of_ten_thousand_rows_misses_by_a_fifth_less_often_than_once_in_1e20(d_k: int, side: int) -> None:
    """Chernoff's bound for the mean of squares cut off at c, plus n P(|q . k| > c); 0.19, for the mean's square may take 0.01."""
    n, shortfall = 10_000, 0.2 if side > 0 else 0.19
    best = math.inf
    for c in (9 * math.sqrt(d_k), 12 * math.sqrt(d_k), 16 * math.sqrt(d_k), 24 * math.sqrt(d_k), 30 * math.sqrt(d_k)):
        x = torch.linspace(0, c, 8_001, dtype=torch.float64)
        share = reference.magnitude_cdf(x, d_k).diff()
        squares = torch.maximum(side * x[1:] ** 2, side * x[:-1] ** 2) - side * d_k  # the worse end of each piece: an upper bound
        beyond = n * log_tail(c, d_k) if side > 0 else 0.0
        rates = torch.logspace(-3.5, -0.5, 60, dtype=torch.float64) / d_k
        for rate in rates.tolist():
            log_moment = math.log(float((share * torch.exp(rate * squares)).sum()) + (side < 0) * 1e-18)
            best = min(best, math.exp(min(0.0, n * (log_moment - rate * shortfall * d_k))) + beyond)
    assert best < 1e-20


def log_tail(c: float, d_k: int) -> float:
    """P(|q . k| > c), summed term by term so that nothing cancels."""
    m = d_k // 2
    total = 0.0
    for power in range(m):
        share = sum(math.comb(m + j - 1, j) * 2.0 ** -(m + j) for j in range(m - power))
        total += share * math.exp(power * math.log(c) - math.lgamma(power + 1) - c)
    return 2 * total


def test_the_mean_of_ten_thousand_dot_products_takes_no_hundredth_off_the_variance() -> None:
    """E exp(s q . k) = (1 - s^2)^(-d_k / 2); Chernoff at a mean of sqrt(0.01 d_k), both signs."""
    for d_k in table.PUBLISHED_WIDTHS:
        n, mean = 10_000, math.sqrt(0.01 * d_k)
        logs = [n * (-d_k / 2 * math.log(1 - s * s) - s * mean) for s in (i / 2000 for i in range(1, 400))]
        assert 2 * math.exp(min(logs)) < 1e-20


@pytest.mark.parametrize("width", audit_laws.CHAPTER_WEIGHTS)
def test_the_published_weights_are_those_of_many_draws(width: int, generator: torch.Generator) -> None:
    expected, variance = audit_laws.CHAPTER_WEIGHTS[width]
    largest = []
    for _ in range(20):
        scores = reference.audit_scores(width, 10_000, 16, generator)
        largest.append(torch.softmax(scores, dim=-1).max(dim=-1).values)
    found = torch.cat(largest)
    error = math.sqrt(variance / len(found))
    assert abs(float(found.mean()) - expected) < 4 * error + 3e-4
    assert float(found.var()) == pytest.approx(variance, rel=0.03)
    t = bernstein(4_000, variance, 15 / 16)
    assert 2 * math.exp(-4_000 * t**2 / (2 * variance + 2 * (15 / 16) * t / 3)) == pytest.approx(1e-10)


# Power: the distance of each wrong law, and the chance to miss it.


def caught(n: int, wrong: Tensor, law: Callable[[Tensor], Tensor], bound: float) -> None:
    """A wrong law, drawn many times, lies so far out that n draws of it are hardly ever taken for the right one."""
    distance = distance_to_law(wrong, law) - math.sqrt(math.log(2 / 1e-3) / (2 * len(wrong)))
    assert missed(n, distance, bound) < MISSED, distance


N = 500_000
WRONG_AT_TWO: dict[str, Callable[[torch.Generator], Tensor]] = {
    "uniform": lambda g: (uniform(N, 2, generator=g) * uniform(N, 2, generator=g)).sum(1),
    "one side uniform": lambda g: (uniform(N, 2, generator=g) * torch.randn(N, 2, generator=g)).sum(1),
    "signs": lambda g: (signs(N, 2, generator=g) * signs(N, 2, generator=g)).sum(1),
    "normal shortcut": lambda g: math.sqrt(2) * torch.randn(N, generator=g),
    "same vector twice": lambda g: torch.randn(N, 2, generator=g).square().sum(1),
    "mean for sum": lambda g: (torch.randn(N, 2, generator=g) * torch.randn(N, 2, generator=g)).mean(1),
    "one coordinate": lambda g: torch.randn(N, generator=g) * torch.randn(N, generator=g),
    "uniform on 0 to 1": lambda g: (torch.rand(N, 2, generator=g) * torch.rand(N, 2, generator=g)).sum(1),
}


@pytest.mark.parametrize("name", WRONG_AT_TWO)
def test_the_law_test_misses_no_wrong_law(name: str, generator: torch.Generator) -> None:
    wrong = WRONG_AT_TWO[name](generator).abs()
    caught(sampler.LAW_DRAWS, wrong, lambda x: reference.magnitude_cdf(x, 2), chance_distance(sampler.LAW_DRAWS))


def test_the_law_test_misses_no_key_that_all_rows_of_a_call_share() -> None:
    """A mean magnitude is the key's length, with a Rayleigh law, times sqrt(2 / pi), within a fiftieth."""
    low, high = ((1 + side * (sampler.CALL_DISTANCE + 0.03)) * math.sqrt(math.pi / 2) for side in (-1, 1))
    near = math.exp(-(low**2) / 2) - math.exp(-(high**2) / 2)
    assert near**sampler.LAW_CALLS < MISSED


def test_the_law_test_misses_no_key_of_a_fixed_length_that_all_rows_share() -> None:
    x = torch.linspace(0, 12, 4_001, dtype=torch.float64)
    right = reference.magnitude_cdf(x, 2)
    lengths = torch.logspace(-2, 2, 801).tolist()
    distances = [float((torch.erf(x / (length * math.sqrt(2))) - right).abs().max()) for length in lengths]
    assert min(distances) > 0.056
    assert missed(sampler.LAW_DRAWS, min(distances), chance_distance(sampler.LAW_DRAWS)) < MISSED


SHARED_ROWS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "a key for two rows": lambda q, k: q * k[:, :1].expand_as(q),
    "sorted rows": lambda q, k: (q * k).reshape(-1).sort().values.reshape(-1, 2),
    "both signs of one": lambda q, k: (q * k)[:, :1] * torch.tensor([1.0, -1.0]),
}


@pytest.mark.parametrize("name", SHARED_ROWS)
def test_the_test_of_neighbours_misses_no_rows_that_depend_on_each_other(name: str, generator: torch.Generator) -> None:
    q, k = torch.randn(N, 2, generator=generator), torch.randn(N, 2, generator=generator)
    wrong = SHARED_ROWS[name](q, k).double().diff(dim=1).abs().squeeze(1)
    n = sampler.NEIGHBOUR_PAIRS
    caught(n, wrong, lambda x: reference.magnitude_cdf(x, 2), chance_distance(n))
    right = (q * k).double().diff(dim=1).abs().squeeze(1)
    assert distance_to_law(right, lambda x: reference.magnitude_cdf(x, 2)) < chance_distance(N)


def test_the_width_test_misses_no_width_that_is_cut_at_sixty_four(generator: torch.Generator) -> None:
    d_k = max(sampler.WIDTHS)
    wrong = reference.dot_products(100_000, 64, generator).abs()
    caught(sampler.WIDTH_DRAWS, wrong, lambda x: reference.magnitude_cdf(x, d_k), sampler.SCALE_DISTANCE)


@pytest.mark.parametrize("d_k", [16, 64])
def test_the_width_test_misses_no_wrong_scale(d_k: int, generator: torch.Generator) -> None:
    n, rows = sampler.WIDTH_DRAWS, 100_000
    q, k = torch.randn(rows, d_k, generator=generator), torch.randn(rows, d_k, generator=generator)
    products = (q * k).double().sum(1).abs()
    positive = (torch.rand(rows, d_k, generator=generator) * torch.rand(rows, d_k, generator=generator)).sum(1)
    for wrong in (q.square().sum(1), products / d_k, products / math.sqrt(d_k), positive):
        caught(n, wrong, lambda x: reference.magnitude_cdf(x, d_k), sampler.SCALE_DISTANCE)


def test_the_pair_test_misses_no_wrong_estimator_and_no_wrong_law(generator: torch.Generator) -> None:
    n = table.PAIR_ROWS * table.PAIR_CALLS
    x = torch.randn(N, 2, generator=generator) * torch.randn(N, 2, generator=generator)
    uniform_pairs = uniform(N, 2, generator=generator) * uniform(N, 2, generator=generator)
    noise = torch.randn(N, generator=generator)
    wrong = {
        "divided by n": x.var(dim=1, correction=0),
        "second moment": x.square().sum(1),
        "uniform": uniform_pairs.var(dim=1),
        "normal shortcut": torch.randn(N, 2, generator=generator).var(dim=1),
        "theory": torch.ones(N),
        "small noise": 1 + 0.02 * noise,
        "noise of the right size": (1 + 2 * noise).abs(),
    }
    for variances in wrong.values():
        caught(n, (2 * variances).sqrt(), lambda y: 1 - torch.exp(-y), chance_distance(n))


def test_the_audits_pair_test_misses_no_wrong_estimator(generator: torch.Generator) -> None:
    n, d = audit_laws.PAIR_ROWS, audit_laws.PAIR_WIDTH
    right = reference.dot_products(200_000, d, generator).abs()
    for wrong in (right / math.sqrt(2), torch.full((200_000,), math.sqrt(d))):
        caught(n, wrong, lambda x: reference.magnitude_cdf(x, d), chance_distance(n))


@pytest.mark.parametrize("name", ["uniform", "normal shortcut"])
def test_the_audits_spread_test_misses_no_wrong_law(name: str, generator: torch.Generator) -> None:
    of_rows = (audit_laws.SPREAD_QUERIES, audit_laws.SPREAD_KEYS)
    shape, estimators = (100_000, *of_rows), (reference.pooled_variance, reference.mean_variance)
    right = torch.randn(*shape[:2], 1, generator=generator) * torch.randn(*shape, generator=generator)
    wrong = torch.randn(*shape, generator=generator)
    if name == "uniform":
        wrong = uniform(*shape[:2], 1, generator=generator) * uniform(*shape, generator=generator)
    n, bound = audit_laws.SPREAD_ROWS, chance_distance(audit_laws.SPREAD_ROWS) + chance_distance(audit_laws.REFERENCE_ROWS)
    distance = min(distance_between(one(wrong.double()), other(right.double())) for one in estimators for other in estimators)
    # Both samples of 100,000 lie within 0.0062 of their laws, save with a chance of 1e-3.
    assert missed(n, distance - 0.0124, bound) < MISSED, distance


QUERIES, ROWS = audit_laws.SHARING_QUERIES, 100_000


def rows(width: int, g: torch.Generator, draw: Draw = torch.randn, *, queries: int = QUERIES, keys: int = QUERIES) -> Tensor:
    """(ROWS, QUERIES, 2): scores of many rows, with fewer queries or sets of keys where they are shared."""
    q, k = draw(ROWS, queries, 1, width, generator=g), draw(ROWS, keys, 2, width, generator=g)
    return (q * k).sum(dim=-1).double()


SHARED: dict[str, Callable[[int, torch.Generator], Tensor]] = {
    "shared keys": lambda d, g: rows(d, g, keys=1),
    "shared query": lambda d, g: rows(d, g, queries=1),
    "uniform": lambda d, g: rows(d, g, uniform),
    "normal shortcut": lambda d, g: math.sqrt(d) * torch.randn(ROWS, QUERIES, 2, generator=g, dtype=torch.float64),
}


# A law of the right variance is left to the weights: column 0 is asked of what is shared alone.
@pytest.mark.parametrize(("name", "column"), [(n, c) for n in SHARED for c in (0, 2, 3) if c or n.startswith("shared")])
def test_the_sharing_test_misses_no_draw_that_is_shared_and_no_wrong_law_of_weights(
    name: str, column: int, generator: torch.Generator
) -> None:
    width, estimators = (2 if column == 3 else 1), (reference.pooled_variance, reference.mean_variance)
    scores = {"right": rows(width, generator), "wrong": SHARED[name](width, generator)}
    divisor = math.sqrt(width)
    bound = chance_distance(audit_laws.SHARING_ROWS) + chance_distance(audit_laws.REFERENCE_ROWS)
    for wrong_estimator in estimators:
        wrong = reference.audit_row(scores["wrong"], divisor, wrong_estimator)[:, column]
        distance = min(
            distance_between(wrong, reference.audit_row(scores["right"], divisor, right_estimator)[:, column])
            for right_estimator in estimators
        )
        # As above.
        assert missed(audit_laws.SHARING_ROWS, distance - 0.0124, bound) < MISSED, distance


# Two calls with one generator, of which one side begins anew; and tails.


def test_rows_of_two_calls_that_share_a_side_are_far_from_the_right_law(generator: torch.Generator) -> None:
    q, k, other_q, other_k = torch.randn(4, 400_000, generator=generator, dtype=torch.float64).square().log()
    distance = distance_between((q - other_q).abs(), (q + k - other_q - other_k).abs())
    for n in (sampler.CALL_DRAWS, audit_laws.CALL_ROWS):
        assert missed(n, distance, chance_distance(n) + chance_distance(CALLS_REFERENCE)) < MISSED


def test_a_right_sample_has_its_tail_and_a_cut_one_has_none() -> None:
    """P(|q k| > 5) is the mean of erfc(5 / (|q| sqrt(2))) over q."""
    q = torch.linspace(0, 40, 400_001, dtype=torch.float64)[1:]
    density = torch.exp(-(q**2) / 2) * math.sqrt(2 / math.pi)
    share = float(torch.trapezoid(density * torch.erfc(sampler.FAR / (q * math.sqrt(2))), q))
    assert share == pytest.approx(0.00217, abs=1e-5)
    assert (1 - share) ** (sampler.NEIGHBOUR_CALLS * sampler.CALL_DRAWS) < FALSE_FAIL
    assert sampler.FAR > 2.2**2
