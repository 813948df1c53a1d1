"""The statistical tests, computed: what each fails a right answer with at most, and passes its nearest wrong one with.

A right answer meets them only where its draws are not the reference's, number by number: whoever draws as the handout describes
meets none. Distances of wrong laws are of half a million draws, less what the Dvoretzky-Kiefer-Wolfowitz inequality allows for
these; tests/test_m2_laws.py and tests/test_m3_laws.py hold them for every wrong law of the zoo, and here stands the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from grader_tests.m2 import audit_laws, sampler, table
from grader_tests.m2.laws import CALLS_REFERENCE, FALSE_FAIL, chance_distance, distance_between, distance_to_law, missed
from grader_tests.m3 import laws, own_laws, sides
from grader_tests.references import entropy, variance
from grader_tests.vocabulary.chances import CHANCE, bernstein, surprise, surprise_limit
from grader_tests.vocabulary.draws import DRAWN

DRAWS = 500_000
# What distances of drawn laws are off by, save once in a thousand.
_SLACK = math.sqrt(math.log(2 / 1e-3) / (2 * DRAWS))


@dataclass(frozen=True)
class Law:
    """A statistical test of a check: both chances, and the wrong answer that comes nearest to passing it."""

    check: str
    test: str
    false_fail: float
    false_pass: float
    nearest: str


def of_variance(generator: torch.Generator) -> Iterator[Law]:
    """The tests of m2_variance."""
    yield from _of_dot_products(generator)
    yield from _of_tables(generator)
    yield from _of_audits(generator)


def _of_dot_products(generator: torch.Generator) -> Iterator[Law]:
    scale = 2 * math.exp(-2 * sampler.WIDTH_DRAWS * sampler.SCALE_DISTANCE**2)
    narrow = missed(sampler.WIDTH_DRAWS, _between_widths(64, 256), sampler.SCALE_DISTANCE)
    yield Law("dot_products_width", "spread at three widths", len(sampler.WIDTHS) * scale, narrow, "64 of 256 coordinates")
    name = "dot_products_law"
    single = 2 * 2.0**-sampler.SINGLES
    yield Law(name, "forty single rows", single, 0.0, "the same vector twice: one sign, for certain")
    yield Law(name, "forty products of rows", single, 0.0, "keys that are the queries, shuffled: one sign, for certain")
    yield Law(name, "rows in pairs", near_pairs(), 0.0, "rows whose mean was taken off: equally large, for certain")
    yield Law(name, "two calls", 2 * FALSE_FAIL, _missed_calls(sampler.CALL_DRAWS, generator), "keys from a seed of their own")
    rows = sampler.NEIGHBOUR_CALLS * sampler.CALL_DRAWS
    yield Law(name, "tails", (1 - _share_beyond(sampler.FAR)) ** rows, 0.0, "coordinates cut off at 2.2: none, for certain")
    yield Law(name, "neighbouring rows", 2 * FALSE_FAIL, _missed_neighbours(generator), "a key for two rows")
    yield Law(name, "mean of a call", far_calls(), _missed_shared_keys(), "one key for all rows of a call")
    yield Law(name, "law at d_k = 2", 2 * FALSE_FAIL, _missed_law(generator), "queries normal, keys uniform")


def _missed_law(generator: torch.Generator) -> float:
    wrong = (_uniform(DRAWS, 2, generator=generator) * torch.randn(DRAWS, 2, generator=generator)).sum(dim=1).abs()
    return _missed_distance(wrong, partial(variance.magnitude_cdf, d_k=2), sampler.LAW_DRAWS)


def _missed_neighbours(generator: torch.Generator) -> float:
    q, k = torch.randn(DRAWS, 2, generator=generator), torch.randn(DRAWS, 1, generator=generator)
    wrong = (q * k).diff(dim=1).abs().squeeze(1)
    return _missed_distance(wrong, partial(variance.magnitude_cdf, d_k=2), sampler.NEIGHBOUR_PAIRS)


def _missed_distance(wrong: Tensor, cdf: Callable[[Tensor], Tensor], n: int) -> float:
    return missed(n, distance_to_law(wrong, cdf) - _SLACK, chance_distance(n))


def _missed_calls(n: int, generator: torch.Generator) -> float:
    q, k, other_q, other_k = torch.randn(4, DRAWS, generator=generator, dtype=torch.float64).square().log()
    distance = distance_between((q - other_q).abs(), (q + k - other_q - other_k).abs()) - 2 * _SLACK
    return missed(n, distance, chance_distance(n) + chance_distance(CALLS_REFERENCE))


def _missed_shared_keys() -> float:
    """A mean magnitude is the key's length, with a Rayleigh law, times sqrt(2 / pi), within a fiftieth."""
    low, high = ((1 + side * (sampler.CALL_DISTANCE + 0.03)) * math.sqrt(math.pi / 2) for side in (-1, 1))
    return float((math.exp(-(low**2) / 2) - math.exp(-(high**2) / 2)) ** sampler.LAW_CALLS)


def _between_widths(one: int, other: int) -> float:
    x = torch.linspace(0, 200, 40_001, dtype=torch.float64)
    return float((variance.magnitude_cdf(x, one) - variance.magnitude_cdf(x, other)).abs().max())


def _share_beyond(bound: float) -> float:
    """P(|q k| > bound), the mean of erfc(bound / (|q| sqrt(2))) over q."""
    q = torch.linspace(0, 40, 400_001, dtype=torch.float64)[1:]
    density = torch.exp(-(q**2) / 2) * math.sqrt(2 / math.pi)
    return float(torch.trapezoid(density * torch.erfc(bound / (q * math.sqrt(2))), q))


def far_calls() -> float:
    """Chernoff's bound for the mean of Exponential(1) numbers, both sides, in every call."""
    n, t = sampler.CALL_DRAWS, sampler.CALL_DISTANCE
    return sampler.LAW_CALLS * (math.exp(-n * (t - math.log(1 + t))) + math.exp(-n * (-math.log(1 - t) - t)))


def near_pairs() -> float:
    """A bound for the chance that all pairs of rows are equally large, or all equally far apart, within DRAWN; at d_k = 3.

    The density of |q . k| is largest at 0, where it is 2 E[1 / |q|] / sqrt(2 pi), and a gap is |q . k| at d_k = 6. Numbers are
    below 40 save with a chance of 1e-12 each.
    """

    def density(d: int) -> float:
        return 2 * math.exp(math.lgamma((d - 1) / 2) - math.lgamma(d / 2)) / math.sqrt(2) / math.sqrt(2 * math.pi)

    window = 2 * DRAWN * 40
    beyond = 2 * sampler.PAIRS * 2 * math.exp(-0.8 * 40) * (1 - 0.8**2) ** -1.5
    return float((window * density(3)) ** sampler.PAIRS + (window * density(6)) ** (sampler.PAIRS - 1) + beyond)


def _of_tables(generator: torch.Generator) -> Iterator[Law]:
    # Two sides of three widths, and the mean's square; each below 1e-20 as tests/test_m2_laws.py computes.
    false_fail = 2 * len(table.PUBLISHED_WIDTHS) * 2 * 1e-20
    yield Law("variance_table_estimates", "near d_k", false_fail, _missed_doubled(10_000, 4), "the same vector twice")
    n = table.PAIR_ROWS * table.PAIR_CALLS
    products = _uniform(DRAWS, 2, generator=generator) * _uniform(DRAWS, 2, generator=generator)
    wrong = (2 * products.var(dim=1)).sqrt()
    passed = _missed_distance(wrong, lambda x: 1 - torch.exp(-x), n)
    yield Law("variance_table_unbiased", "samples of two", FALSE_FAIL, passed, "uniform coordinates")


def _missed_doubled(n: int, d: int) -> float:
    """P(S <= E S - t) <= exp(-n t^2 / (2 E x^2)) for x that are not negative: squares of q . q about d, of variance 2 d."""
    fourth, shortfall = 12 * d * (d + 4), 2 * d - 1.2 * d
    return math.exp(-n * shortfall**2 / (2 * fourth))


def _of_audits(generator: torch.Generator) -> Iterator[Law]:
    name = "score_audit_raw_variance"
    x = torch.linspace(0, 200, 40_001, dtype=torch.float64)
    cdf = partial(variance.magnitude_cdf, d_k=audit_laws.PAIR_WIDTH)
    distance = float((cdf(x) - cdf(x * math.sqrt(2))).abs().max())
    passed = missed(audit_laws.PAIR_ROWS, distance, chance_distance(audit_laws.PAIR_ROWS))
    yield Law(name, "pairs of scores", 2 * FALSE_FAIL, passed, "divided by n")
    yield Law(name, "two calls", 2 * FALSE_FAIL, _missed_calls(audit_laws.CALL_ROWS, generator), "keys from a seed of their own")
    yield Law(name, "spread", 2 * FALSE_FAIL, _missed_spread(generator), "uniform coordinates")
    yield Law(name, "sharing", 2 * FALSE_FAIL, _missed_sharing(0, generator), "keys shared by all queries")
    name = "score_audit_raw_weights"
    yield Law(name, "sharing", 2 * FALSE_FAIL, _missed_sharing(2, generator), "uniform coordinates")
    yield Law(name, "published weights", 2 * FALSE_FAIL, _missed_chapter(generator), "scaled scores")
    yield Law("score_audit_scaled_weights", "sharing", 2 * FALSE_FAIL, _missed_sharing(3, generator), "one query for all keys")
    # Asked only where variances other than one change the way of drawing.
    yield Law("score_audit_general", "spread", 2 * FALSE_FAIL, _missed_spread(generator), "uniform coordinates")


_ROWS = 100_000
_ESTIMATORS = (variance.pooled_variance, variance.mean_variance)


def _missed_spread(generator: torch.Generator) -> float:
    shape = (_ROWS, audit_laws.SPREAD_QUERIES, audit_laws.SPREAD_KEYS)
    right = torch.randn(*shape[:2], 1, generator=generator) * torch.randn(*shape, generator=generator)
    wrong = _uniform(*shape[:2], 1, generator=generator) * _uniform(*shape, generator=generator)
    distance = min(distance_between(one(wrong.double()), other(right.double())) for one in _ESTIMATORS for other in _ESTIMATORS)
    return _missed_two(audit_laws.SPREAD_ROWS, distance)


def _missed_sharing(column: int, generator: torch.Generator) -> float:
    """Raw variance: keys shared by all queries; raw weights: uniform coordinates; scaled weights: one query for all keys."""
    width, queries = (2 if column == 3 else 1), audit_laws.SHARING_QUERIES
    draw = _uniform if column == 2 else torch.randn
    few_keys, few_queries = (1 if column == 0 else queries), (1 if column == 3 else queries)
    q = draw(_ROWS, few_queries, 1, width, generator=generator)
    k = draw(_ROWS, few_keys, 2, width, generator=generator)
    wrong, divisor = (q * k).sum(dim=-1).double(), math.sqrt(width)
    right = audit_laws.simulated_scores(width, queries, 2, int(torch.randint(2**31, (), generator=generator)))
    rows = [[variance.audit_row(scores, divisor, one)[:, column] for one in _ESTIMATORS] for scores in (wrong, right)]
    return _missed_two(audit_laws.SHARING_ROWS, min(distance_between(w, r) for w in rows[0] for r in rows[1]))


def _missed_two(n: int, distance: float) -> float:
    """Both samples of 100,000 lie within 0.0062 of their laws, save with a chance of 1e-3."""
    return missed(n, distance - 0.0124, chance_distance(n) + chance_distance(audit_laws.REFERENCE_ROWS))


def _missed_chapter(generator: torch.Generator) -> float:
    """Scaled scores at d_k = 32, each weight within [1/16, 1]: Hoeffding's inequality, about the mean of as many draws."""
    mean, spread = audit_laws.CHAPTER_WEIGHTS[32]
    n = audit_laws.CHAPTER_QUERIES
    scaled = variance.audit_scores(32, n, audit_laws.CHAPTER_KEYS, generator) / math.sqrt(32)
    bound = bernstein(n, spread, 15 / 16) + 3e-4
    gap = mean - bound - float(torch.softmax(scaled, dim=-1).max(dim=-1).values.mean())
    return math.exp(-2 * n * (gap / (15 / 16)) ** 2)


def _uniform(*shape: int, generator: torch.Generator) -> Tensor:
    return (2 * torch.rand(*shape, generator=generator) - 1) * math.sqrt(3)


def of_entropy(generator: torch.Generator) -> Iterator[Law]:
    """The tests of m3_entropy."""
    choice = sum(_wrong_side(question, generator) for question in laws.questions_of_choice(generator))
    guessed = 0.6 ** (2 * laws.REPEATED)
    yield Law("collapse_width_smallest", "thresholds between means", choice, guessed, "a single query for the mean")
    name = "collapse_width_draws"
    yield Law(name, "means of the law", 3 * CHANCE, _missed_mean(generator), "uniform keys")
    yield Law(name, "sharing", CHANCE, _missed_shared_means(generator), "keys shared by all queries")
    yield Law(name, "order of draws", 2.0 ** (1 - laws.FEWEST_PAIRS), 0.0, "one answer for all seeds, for certain")
    yield Law(name, "single queries", 2.0 ** (1 - laws.SINGLES), 0.0, "a fixed number of queries")
    yield Law(name, "fresh sides", 1 - unsurprising(list(sides.SHARES.values())), _missed_sides(), "one side from a fixed seed")
    n, m = own_laws.CALLS, own_laws.DRAWN
    beyond = math.prod((n - i) / (m + n - i) for i in range(own_laws.BEYOND))
    yield Law(name, "own law (after a wrong entropy)", 2 * len(own_laws.TABLES) * beyond, 0.0, "none that it is asked to tell")


def _entropies(width: int, n_keys: int, count: int, generator: torch.Generator, keys: Callable[..., Tensor]) -> Tensor:
    q, k = torch.randn(count, 1, width, generator=generator), keys(count, n_keys, width, generator=generator)
    return entropy.entropy((q * k).sum(dim=-1))


def _wrong_side(question: laws.Question, generator: torch.Generator) -> float:
    """Bernstein's bound for a mean on the wrong side of the threshold, of any width; 0 where no mean can be there."""
    chance = 0.0
    for width in set(question.widths):
        found = _entropies(width, question.n_keys, 20_000, generator, torch.randn)
        if 0 < question.threshold <= math.log(question.n_keys):
            gap = abs(float(found.mean()) - question.threshold) - 4 * float(found.std()) / math.sqrt(len(found))
            spread = 2 * float(found.var()) * 1.1 + 2 * math.log(question.n_keys) * gap / 3
            chance += 2 * math.exp(-question.n_queries * gap**2 / spread)
    return chance


def _missed_mean(generator: torch.Generator) -> float:
    question = laws.questions_of_law()[2]
    found = _entropies(2, question.n_keys, 300_000, generator, _uniform)
    gap = float(found.mean()) - question.threshold - 4 * float(found.std()) / math.sqrt(len(found))
    return math.exp(-question.n_queries * gap**2 / (2 * float(found.var()) + 2 * math.log(question.n_keys) * max(gap, 0) / 3))


def _missed_shared_means(generator: torch.Generator) -> float:
    question, calls = laws.questions_of_law()[-1], 4_000
    q, k = (torch.randn(calls, n, 1, generator=generator) for n in (laws.SHARING_QUERIES, 2))
    means = entropy.entropy(q * k.transpose(1, 2)).mean(dim=1)
    share = float((means < question.threshold).double().mean()) - 4 * 0.5 / math.sqrt(calls)
    return (1 - share) ** laws.SHARING_CALLS


def unsurprising(true_shares: list[float]) -> float:
    """The chance that both counts together are no surprise, where these are the shares: a sum over all pairs of counts."""
    n = sides.CALLS
    counts = torch.arange(n + 1, dtype=torch.float64)
    ways = math.lgamma(n + 1) - torch.lgamma(counts + 1) - torch.lgamma(n - counts + 1)
    near, far = (torch.tensor([surprise(c, n, s) for c in range(n + 1)], dtype=torch.float64) for s in sides.SHARES.values())
    shares = torch.tensor(true_shares, dtype=torch.float64)[:, None]
    chances = (ways + torch.special.xlogy(counts, shares) + torch.special.xlogy(n - counts, 1 - shares)).exp()
    return float((chances[0][:, None] * chances[1][None, :])[near[:, None] + far[None, :] < surprise_limit(2)].sum())


def _missed_sides() -> float:
    """The worst of 150 spreads of a single normal number."""
    spreads = torch.logspace(-1.3, 1.3, 150, dtype=torch.float64).tolist()
    return max(unsurprising([math.erf(bound / (spread * math.sqrt(2))) for bound in sides.SHARES]) for spread in spreads)


STATISTICAL: dict[str, Callable[[torch.Generator], Iterator[Law]]] = {"m2_variance": of_variance, "m3_entropy": of_entropy}
