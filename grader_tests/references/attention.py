"""References of m1_attention, in float64 and written for clarity; none shares code with the notebook's solutions.

Each is computed by explicit sums (einsum over named axes), so that a slip of an axis here would have to be made twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor


def softmax(scores: Tensor) -> Tensor:
    """(..., n) -> (..., n): exp(s - max) over its sum, along the last axis."""
    shifted = (scores.double() - scores.double().amax(dim=-1, keepdim=True)).exp()
    return shifted / shifted.sum(dim=-1, keepdim=True)


def additive_scores(queries: Tensor, keys: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor) -> Tensor:
    """(..., m, d_q), (..., n, d_k) -> (..., m, n): v · tanh(W_q q + W_k k) for every pair.

    Bahdanau et al. 2015, appendix A.1.2.
    """
    projected_queries = torch.einsum("...md,da->...ma", queries.double(), W_q.double())
    projected_keys = torch.einsum("...nd,da->...na", keys.double(), W_k.double())
    features = torch.tanh(projected_queries[..., :, None, :] + projected_keys[..., None, :, :])
    return torch.einsum("...mna,a->...mn", features, v.double())


def scaled_scores(Q: Tensor, K: Tensor) -> Tensor:
    """(..., T_q, d_k), (..., T_k, d_k) -> (..., T_q, T_k): dot products over sqrt(d_k)."""
    return torch.einsum("...id,...jd->...ij", Q.double(), K.double()) / math.sqrt(K.shape[-1])


def attention(Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    """(..., T_q, d_k), (..., T_k, d_k), (..., T_k, d_v) -> output (..., T_q, d_v), weights (..., T_q, T_k).

    Vaswani et al. 2017, equation 1.
    """
    weights = softmax(scaled_scores(Q, K))
    return torch.einsum("...ij,...jv->...iv", weights, V.double()), weights


def self_attention(X: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor) -> tuple[Tensor, Tensor]:
    """(..., T, d_model) -> (..., T, d_v), (..., T, T): one sequence in all three roles."""
    return cross_attention(X, X, W_Q, W_K, W_V)


def cross_attention(X_dec: Tensor, X_enc: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor) -> tuple[Tensor, Tensor]:
    """(..., T_q, d_dec), (..., T_k, d_enc) -> (..., T_q, d_v), (..., T_q, T_k): the decoder asks, the encoder is read."""
    return attention(project(X_dec, W_Q), project(X_enc, W_K), project(X_enc, W_V))


def project(X: Tensor, W: Tensor) -> Tensor:
    """(..., T, d), (d, a) -> (..., T, a)."""
    return torch.einsum("...td,da->...ta", X.double(), W.double())


def soft_lookup(query: Tensor, keys: Tensor, values: Tensor, temperature: float) -> Tensor:
    """(d,), (n, d), (n, d_v) -> (d_v,): values mixed by softmax(keys · query / temperature)."""
    dots = torch.einsum("nd,d->n", keys.double(), query.double())
    weights = softmax((dots - dots.amax()) / temperature)
    return torch.einsum("n,nv->v", weights, values.double())


def hard_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(d,), (n, d), (n, d_v) -> (d_v,): the value of the first key with the largest dot product."""
    dots = torch.einsum("nd,d->n", keys.double(), query.double()).tolist()
    return values.double()[dots.index(max(dots))]


def mistaken_attention(Q: Tensor, K: Tensor, V: Tensor) -> Mapping[str, Tensor]:
    """Weights (..., T_q, T_k) of known mistakes, by the name a student reads."""
    raw = torch.einsum("...id,...jd->...ij", Q.double(), K.double())
    d_k, T_k, T_q, d_v = K.shape[-1], K.shape[-2], Q.shape[-2], V.shape[-1]
    over_queries = softmax(scaled_scores(Q, K).transpose(-1, -2)).transpose(-1, -2)
    return {
        "these are the weights without the scale: the scores are to be divided by sqrt(d_k)": softmax(raw),
        "these are the weights with scores divided by d_k; it should be its square root": softmax(raw / d_k),
        "these are the weights with scores multiplied by sqrt(d_k); they should be divided by it": softmax(raw * math.sqrt(d_k)),
        "these are the weights with scores divided by the root of the number of keys, not of d_k": softmax(raw / math.sqrt(T_k)),
        "these are the weights with scores divided by the root of the number of queries, not of d_k": softmax(
            raw / math.sqrt(T_q)
        ),
        "these are the weights with scores divided by the root of the width of V, not of d_k": softmax(raw / math.sqrt(d_v)),
        "the softmax runs over the queries; it should run over the keys, the last axis": over_queries,
        "the softmax runs over the queries, and the scale is missing": softmax(raw.transpose(-1, -2)).transpose(-1, -2),
        "the scale is applied after the softmax; it belongs before it": softmax(raw) / math.sqrt(d_k),
        "these are the scaled scores; the softmax is missing": scaled_scores(Q, K),
    }


def mistaken_additive_scores(queries: Tensor, keys: Tensor, W_q: Tensor, W_k: Tensor, v: Tensor) -> Mapping[str, Tensor]:
    """Scores (..., m, n) of known mistakes, by the name a student reads."""
    summed = project(queries, W_q)[..., :, None, :] + project(keys, W_k)[..., None, :, :]
    return {
        "the tanh is missing": torch.einsum("...mna,a->...mn", summed, v.double()),
        "v is missing: the features are summed without it": torch.tanh(summed).sum(dim=-1),
        "these are the weights; the scores, before any softmax, are asked for": softmax(
            additive_scores(queries, keys, W_q, W_k, v)
        ),
    }
