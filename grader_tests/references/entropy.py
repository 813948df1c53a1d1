"""References of m3_entropy, in float64 and written for clarity, with known mistakes; none shares code with the solutions.

Draws are float32, as the assignment prescribes them, and everything after a draw is computed in float64. Entropies are in nats.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from grader_tests.references.attention import softmax

Row = tuple[float, float, float, float]
COLUMNS = ("raw_std", "scaled_std", "entropy_raw", "entropy_scaled")


def spread(weights: Tensor) -> Tensor:
    """(..., n) -> (...): the entropy of weights that sum to one; a weight of 0 adds nothing."""
    terms: Tensor = torch.special.xlogy(weights.double(), weights.double())
    return -terms.sum(dim=-1)


def entropy(logits: Tensor) -> Tensor:
    """(..., n) -> (...): the entropy of softmax(logits)."""
    return spread(softmax(logits))


def softmax_jacobian(logits: Tensor) -> Tensor:
    """(..., n) -> (..., n, n): d p_i / d x_j = p_i (1 if i = j else 0) - p_i p_j."""
    weights = softmax(logits)
    same = torch.eye(logits.shape[-1], dtype=torch.float64)
    return weights[..., :, None] * (same - weights[..., None, :])


def gradient_norm(logits: Tensor) -> Tensor:
    """(..., n) -> (...): the Frobenius norm of the softmax's Jacobian."""
    return softmax_jacobian(logits).square().sum(dim=(-2, -1)).sqrt()


def saturation_scores(d_k: int, generator: torch.Generator, n_keys: int = 5) -> Tensor:
    """Float32 (n_keys,): scores of one query (1, d_k), drawn first, for keys (n_keys, d_k)."""
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    return torch.einsum("id,jd->j", q.double(), k.double()).float()


def row_of(raw: Tensor, scaled: Tensor) -> Row:
    """Unbiased standard deviations, then entropies, of raw and scaled scores (n_keys,)."""
    deviations = [float(scores.double().std(correction=1)) for scores in (raw, scaled)]
    return deviations[0], deviations[1], float(entropy(raw)), float(entropy(scaled))


def saturation_row(d_k: int, generator: torch.Generator, n_keys: int = 5) -> Row:
    """raw_std, scaled_std, entropy_raw, entropy_scaled of one query's scores."""
    raw = saturation_scores(d_k, generator, n_keys).double()
    return row_of(raw, raw / math.sqrt(d_k))


def collapse_scores(width: int, n_queries: int, n_keys: int, generator: torch.Generator) -> Tensor:
    """Float32 (n_queries, n_keys): queries are drawn first, then keys of its own for every query; not scaled."""
    queries = torch.randn(n_queries, width, generator=generator)
    keys = torch.randn(n_queries, n_keys, width, generator=generator)
    return torch.einsum("qd,qkd->qk", queries, keys)


def collapse_width(
    widths: Sequence[int], threshold: float, generator: torch.Generator, n_queries: int = 200, n_keys: int = 5
) -> int | None:
    """The smallest width whose mean unscaled entropy is below the threshold; widths are drawn in the order given."""
    means = [(width, entropy(collapse_scores(width, n_queries, n_keys, generator)).mean()) for width in widths]
    return min((width for width, mean in means if mean < threshold), default=None)


def mistaken_entropies(logits: Tensor) -> Mapping[str, Tensor]:
    """Entropies (...) of known mistakes, by the name a student reads; over a wrong axis only where shapes allow it."""
    weights, right = softmax(logits), entropy(logits)
    named = {
        "the logarithm is to base 2; nats are asked for, the natural logarithm": right / math.log(2),
        "the sign is turned: an entropy is not negative": -right,
        "this is the mean of -p log p over the keys; the sum is asked for": right / logits.shape[-1],
        "this is the exponential of the entropy": right.exp(),
        "the entropy is divided by log n; nats are asked for": right / math.log(max(logits.shape[-1], 2)),
        "a softmax too many: the logits go in once": entropy(weights),
        "this is the largest weight, not the entropy": weights.amax(dim=-1),
        "this is 1 minus the sum of squares (Gini), not the entropy": 1 - weights.square().sum(dim=-1),
    }
    if logits.ndim > 1:
        first = softmax(logits.transpose(0, -1)).transpose(0, -1)
        named["the softmax runs over the first axis; it should run over the keys, the last"] = spread(first)
    if logits.ndim > 2:
        second = softmax(logits.transpose(-2, -1)).transpose(-2, -1)
        named["the softmax runs over the queries; it should run over the keys, the last axis"] = spread(second)
    return {name: wrong for name, wrong in named.items() if wrong.shape == right.shape}


def guarded_entropies(logits: Tensor) -> Mapping[str, Tensor]:
    """Entropies (...) with guards that show, by the name a student reads."""
    weights, names = softmax(logits), {}
    for guard in ("1e-8", "1e-7", "1e-6", "1e-5"):
        inside = -(weights * (weights + float(guard)).log()).sum(dim=-1)
        names[f"a guard of {guard} inside the logarithm shows; 1e-9 is small enough, torch.log_softmax needs none"] = inside
    return names


def mistaken_rows(d_k: int, seed: int, n_keys: int) -> Mapping[str, Row]:
    """Rows of known mistakes, drawn with the generator of this seed, by the name a student reads."""

    def seeded() -> torch.Generator:
        return torch.Generator().manual_seed(seed)

    root = math.sqrt(d_k)
    raw = saturation_scores(d_k, seeded(), n_keys).double()
    right = row_of(raw, raw / root)
    generator = seeded()
    keys = torch.randn(n_keys, d_k, generator=generator).double()
    other = torch.einsum("jd,id->j", keys, torch.randn(1, d_k, generator=generator).double())
    shrink = math.sqrt((n_keys - 1) / n_keys)
    return {
        "the standard deviation divides by n; the unbiased one divides by n - 1": (
            right[0] * shrink,
            right[1] * shrink,
            *right[2:],
        ),
        "this is the variance; the standard deviation is its root": (right[0] ** 2, right[1] ** 2, *right[2:]),
        "this is the theory, sqrt(d_k) and 1; what was drawn is asked for": (root, 1.0, *right[2:]),
        "the keys are drawn first; the query comes first": row_of(other, other / root),
        "the root of d_k is cut to a whole number; math.sqrt keeps its fraction": row_of(raw, raw / int(root)),
        "the root of d_k is rounded to a whole number; math.sqrt keeps its fraction": row_of(raw, raw / round(root)),
        "the scores are divided by d_k; its root is asked for": row_of(raw, raw / d_k),
        "the scaled scores are the raw ones: nothing is divided": row_of(raw, raw),
        "raw and scaled have changed places": row_of(raw / root, raw),
        "the scores are multiplied by sqrt(d_k); they should be divided": row_of(raw, raw * root),
    }


def mistaken_jacobians(logits: Tensor) -> Mapping[str, Tensor]:
    """Jacobians (n, n) of known mistakes, by the name a student reads."""
    weights = softmax(logits)
    diagonal, outer, right = torch.diag(weights), torch.outer(weights, weights), softmax_jacobian(logits)
    return {
        "the sign is turned: this is p pᵀ - diag(p)": -right,
        "the outer product is missing: this is diag(p)": diagonal,
        "the outer product is added; it is to be taken off": diagonal + outer,
        "only the diagonal is there: p_i (1 - p_i), and zeros beside it": torch.diag(right.diagonal()),
        "the diagonal is missing: there it is p_i (1 - p_i)": right - torch.diag(right.diagonal()),
        "on the diagonal p^2 is taken off twice: diag(p) - p pᵀ has p - p^2 there already": right - torch.diag(weights**2),
        "this is p pᵀ alone": outer,
        "this is -p pᵀ alone: diag(p) is missing": -outer,
        "diag(p) is missing its weights: this is the identity minus p pᵀ": torch.eye(len(weights), dtype=torch.float64) - outer,
        "the logits went in without a softmax": torch.diag(logits.double()) - torch.outer(logits.double(), logits.double()),
    }


def mistaken_norms(logits: Tensor) -> Mapping[str, Tensor]:
    """Norms (...) of known mistakes, by the name a student reads."""
    jacobian, right = softmax_jacobian(logits), gradient_norm(logits)
    diagonal = jacobian.diagonal(dim1=-2, dim2=-1)
    return {
        "this is the largest entry; the Frobenius norm is the root of the sum of all squares": jacobian.abs().amax(dim=(-2, -1)),
        "the root is missing: this is the sum of squares": right.square(),
        "this is the sum of the diagonal; all entries count, squared": diagonal.sum(dim=-1),
        "this is the norm of the diagonal alone; the entries beside it count as well": diagonal.square().sum(dim=-1).sqrt(),
        "this is the sum of absolute values; sum the squares, and take the root": jacobian.abs().sum(dim=(-2, -1)),
        "this is the spectral norm, the largest singular value; Frobenius is asked for": torch.linalg.matrix_norm(jacobian, 2),
        "this is the root of the mean square; the sum is asked for": right / logits.shape[-1],
        "this is the norm of the weights: the outer product is missing": softmax(logits).square().sum(dim=-1).sqrt(),
    }
