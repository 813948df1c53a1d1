"""References of m2_variance: the sampler, its table, the exact formulas and the audit, with known mistakes beside them.

Draws are float32, as the assignment prescribes them, and everything after a draw is computed in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

import torch
from torch import Tensor

from grader_tests.references.attention import softmax

Row = tuple[float, float, float]


def score_variance(d_k: int, var_q: float = 1.0, var_k: float = 1.0) -> float:
    """Var(q . k) for independent coordinates of mean zero: d_k terms, each with variance var_q * var_k."""
    return d_k * var_q * var_k


def score_divisor(d_k: int, var_q: float = 1.0, var_k: float = 1.0) -> float:
    """What brings the score's variance to one: its standard deviation."""
    return math.sqrt(score_variance(d_k, var_q, var_k))


def dot_products(n: int, d_k: int, generator: torch.Generator) -> Tensor:
    """(n,): q (n, d_k) is drawn first, then k (n, d_k)."""
    q = torch.randn(n, d_k, generator=generator)
    k = torch.randn(n, d_k, generator=generator)
    return torch.einsum("nd,nd->n", q.double(), k.double())


def table_of(samples: Mapping[int, Tensor] | Sequence[tuple[int, Tensor]]) -> list[Row]:
    """Rows (width, unbiased variance, its root) of samples of any shape."""
    pairs = samples.items() if isinstance(samples, Mapping) else samples
    variances = [(width, float(sample.double().reshape(-1).var(correction=1))) for width, sample in pairs]
    return [(float(width), variance, math.sqrt(variance)) for width, variance in variances]


def variance_table(widths: Sequence[int], n: int, generator: torch.Generator) -> list[Row]:
    """One row for each width, in the order given, one generator throughout."""
    return table_of([(width, dot_products(n, width, generator)) for width in widths])


def audit_scores(
    width: int, n_queries: int, n_keys: int, generator: torch.Generator, var_q: float = 1.0, var_k: float = 1.0
) -> Tensor:
    """(n_queries, n_keys): queries are drawn first, then keys of their own for every query."""
    queries = torch.randn(n_queries, width, generator=generator).double() * math.sqrt(var_q)
    keys = torch.randn(n_queries, n_keys, width, generator=generator).double() * math.sqrt(var_k)
    return torch.einsum("qd,qkd->qk", queries, keys)


def pooled_variance(scores: Tensor) -> Tensor:
    """(..., n_queries, n_keys) -> (...): unbiased, of all scores together."""
    return scores.flatten(-2).var(dim=-1, correction=1)


def mean_variance(scores: Tensor) -> Tensor:
    """(..., n_queries, n_keys) -> (...): the mean of each query's unbiased variance, right as well; NaN for one key."""
    squares = (scores - scores.mean(dim=-1, keepdim=True)).square().sum(dim=-1)
    return (squares / (scores.shape[-1] - 1)).mean(dim=-1)


def mean_variance_by_key(scores: Tensor) -> Tensor:
    """(..., n_queries, n_keys) -> (...): the mean over keys of the unbiased variance of all queries; NaN for a single query.

    Every query has keys of its own, so that the scores of one place are independent: this is unbiased as well.
    """
    squares = (scores - scores.mean(dim=-2, keepdim=True)).square().sum(dim=-2)
    return (squares / (scores.shape[-2] - 1)).mean(dim=-1)


def mean_largest_weight(scores: Tensor) -> Tensor:
    """(..., n_queries, n_keys) -> (...): each query's largest softmax weight, averaged over the queries."""
    return softmax(scores).max(dim=-1).values.mean(dim=-1)


def audit_row(scores: Tensor, divisor: float, variance: Callable[[Tensor], Tensor] = pooled_variance) -> Tensor:
    """(..., n_queries, n_keys) -> (..., 4): raw variance, scaled variance, mean largest weight raw, and scaled."""
    scaled = scores / divisor
    columns = variance(scores), variance(scaled), mean_largest_weight(scores), mean_largest_weight(scaled)
    return torch.stack(columns, dim=-1)


def score_audit(
    widths: Sequence[int],
    n_queries: int,
    n_keys: int,
    generator: torch.Generator,
    var_q: float = 1.0,
    var_k: float = 1.0,
    divisor: Callable[[int, float, float], float] = score_divisor,
) -> Tensor:
    """(len(widths), 4), with the pooled variance and one generator throughout."""
    rows = [
        audit_row(audit_scores(width, n_queries, n_keys, generator, var_q, var_k), divisor(width, var_q, var_k))
        for width in widths
    ]
    return torch.stack(rows)


def magnitude_cdf(x: Tensor, d_k: int) -> Tensor:
    """P(|q . k| <= x) for even d_k, exact.

    A pair of coordinates, q_1 k_1 + q_2 k_2, has the Laplace(0, 1) law: the difference of two Exponential(1) variables. So
    q . k is A - B with independent Gamma(m, 1) variables, m = d_k / 2. P(A > b + x) is a finite sum, and so is its mean over b:
    P(A - B > x) = exp(-x) sum_l x^l / l! c_l with c_l = sum_{j < m - l} C(m + j - 1, j) 2^-(m + j).
    """
    m = d_k // 2
    tail = torch.zeros_like(x, dtype=torch.float64)
    shares = list(accumulate(math.comb(m + j - 1, j) * 2.0 ** -(m + j) for j in range(m)))
    for power, share in enumerate(reversed(shares)):
        tail = tail + share * torch.exp(torch.special.xlogy(power, x.double()) - math.lgamma(power + 1) - x.double())
    return 1.0 - 2.0 * tail


def signed_cdf(x: Tensor, d_k: int) -> Tensor:
    """P(q . k <= x) for even d_k: the law is symmetric about zero."""
    return 0.5 + 0.5 * torch.sign(x.double()) * magnitude_cdf(x.abs(), d_k)


def mistaken_dot_products(n: int, d_k: int, seed: int) -> Mapping[str, Tensor]:
    """(n,) of known mistakes, drawn with the generator of this seed, by the name a student reads."""

    def drawn(draw: Callable[..., Tensor], *shapes: tuple[int, ...]) -> list[Tensor]:
        generator = torch.Generator().manual_seed(seed)
        return [draw(*shape, generator=generator).double() for shape in shapes]

    q, k = drawn(torch.randn, (n, d_k), (n, d_k))
    _, one_k = drawn(torch.randn, (n, d_k), (1, d_k))
    right = (q * k).sum(dim=1)
    u, v = drawn(torch.rand, (n, d_k), (n, d_k))
    (shortcut,) = drawn(torch.randn, (n,))
    return {
        "this is q · q: the key is the query once more, not a draw of its own": (q * q).sum(dim=1),
        "the signs are turned: these are minus the dot products": -right,
        "the products are averaged; a dot product sums them": right / d_k,
        "the dot products come back divided by sqrt(d_k); the raw ones are asked for": right / math.sqrt(d_k),
        "all rows share one key; every row needs a key of its own": (q * one_k).sum(dim=1),
        "the coordinates are uniform on 0 to 1 (torch.rand); they should be normal (torch.randn)": (u * v).sum(dim=1),
        "these are normal numbers with variance d_k: nothing was multiplied and summed": shortcut * math.sqrt(d_k),
    }


def mistaken_tables(widths: Sequence[int], n: int, seed: int) -> Mapping[str, list[Row]]:
    """Tables of known mistakes, drawn with the generator of this seed, by the name a student reads."""
    rows = variance_table(widths, n, torch.Generator().manual_seed(seed))
    smaller = [(width, variance * (n - 1) / n) for width, variance, _ in rows]
    restarted = [variance_table([width], n, torch.Generator().manual_seed(seed))[0] for width in widths]
    return {
        "the variance divides by n; the unbiased one divides by n - 1": [(w, v, math.sqrt(v)) for w, v in smaller],
        "the variance is rounded to two digits; do not round": [(w, round(v, 2), std) for w, v, std in rows],
        "the variance is rounded to three digits; do not round": [(w, round(v, 3), std) for w, v, std in rows],
        "variance and standard deviation have changed places": [(w, std, variance) for w, variance, std in rows],
        "the generator starts again for every width; one generator runs through the whole table": restarted,
        "this is the theory, d_k and its root; the variance of a sample is asked for": [
            (float(w), float(w), math.sqrt(w)) for w in widths
        ],
    }


def mistaken_variances(d_k: int, var_q: float, var_k: float) -> Mapping[str, Tensor]:
    """0-d values of known mistakes of score_variance, by the name a student reads."""
    named = {
        "this is the standard deviation; the variance is its square": math.sqrt(d_k * var_q * var_k),
        "this is the square of d_k: it would need terms that are all the same, not independent": d_k**2 * var_q * var_k,
        "var_q and var_k do not enter": float(d_k),
        "the variances are added; for a product of independent factors of mean zero they multiply": d_k * (var_q + var_k),
        "the variances are squared: they are variances already": d_k * (var_q * var_k) ** 2,
        "roots of the variances enter; the variances themselves should": d_k * math.sqrt(var_q * var_k),
        "this is the variance after the scaling; the raw score's is asked for": 1.0,
    }
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in named.items()}


def mistaken_divisors(d_k: int, var_q: float, var_k: float) -> Mapping[str, Tensor]:
    """0-d values of known mistakes of score_divisor, by the name a student reads."""
    right = score_divisor(d_k, var_q, var_k)
    named = {
        "this is the variance; dividing by x divides the variance by x squared": right**2,
        "this is the root of the root": math.sqrt(right),
        "this is what to multiply by; the divisor is one over it": 1.0 / right,
        "var_q and var_k do not enter": math.sqrt(d_k),
        "the root is taken of d_k alone; the variances belong under it": math.sqrt(d_k) * var_q * var_k,
        "the variances are added; they multiply": math.sqrt(d_k * (var_q + var_k)),
    }
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in named.items()}
