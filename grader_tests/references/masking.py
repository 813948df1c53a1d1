"""References of m4_masking, in float64 and written for clarity; none shares code with the notebook's solutions.

No score is ever replaced by a number that stands for "nothing": what is excluded is left out of the sums.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from grader_tests.references.attention import scaled_scores, softmax


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """(B,) -> bool (B, max_len): True for the first `length` positions of each example."""
    return torch.tensor([[position < length for position in range(max_len)] for length in lengths.tolist()])


def causal_mask(T: int) -> Tensor:
    """Bool (T, T): True where key j is not later than query i."""
    return torch.tensor([[j <= i for j in range(T)] for i in range(T)])


def masked_softmax(scores: Tensor, allowed: Tensor) -> Tensor:
    """(..., m, n), bool that broadcasts to it -> (..., m, n): shares among the allowed keys; NaN where a row has none."""
    kept = allowed.expand_as(scores)
    none = torch.full_like(scores, -torch.inf, dtype=torch.float64)
    largest = torch.where(kept, scores.double(), none).amax(dim=-1, keepdim=True)
    shifted = torch.where(kept, scores.double() - largest, 0.0).exp() * kept
    return shifted / shifted.sum(dim=-1, keepdim=True)


def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor) -> tuple[Tensor, Tensor]:
    """(B, m, d_k), (B, n, d_k), (B, n, d_v), bool (B, n) -> context (B, m, d_v), weights (B, m, n).

    The chapter's operator, with the values of padded keys left out as well.
    """
    weights = masked_softmax(scaled_scores(queries, keys), key_is_valid[:, None, :])
    real = torch.where(key_is_valid[:, :, None], values.double(), 0.0)
    return torch.einsum("bij,bjv->biv", weights, real), weights


def guarded_masked_attention(
    queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor, guard: float = 1e-9
) -> tuple[Tensor, Tensor]:
    """The same by "softmax, zero, renormalise" with a guard added to the sum, as if that could be 0."""
    shares = softmax(scaled_scores(queries, keys)) * key_is_valid[:, None, :]
    weights = shares / (shares.sum(dim=-1, keepdim=True) + guard)
    real = torch.where(key_is_valid[:, :, None], values.double(), 0.0)
    return torch.einsum("bij,bjv->biv", weights, real), weights


def causal_attention(Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    """(..., T, d), (..., T, d), (..., T, d_v) -> output (..., T, d_v), weights (..., T, T)."""
    return attention_under(Q, K, V, causal_mask(Q.shape[-2]))


def attention_under(Q: Tensor, K: Tensor, V: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """(..., T, d), (..., T, d), (..., T, d_v), bool (T, T) -> output, weights; rows that may see no key are NaN."""
    weights = masked_softmax(scaled_scores(Q, K), allowed)
    return torch.einsum("...ij,...jv->...iv", weights, V.double()), weights


def zero_score_leak(scores: Tensor, key_is_valid: Tensor) -> Tensor:
    """(B, m, n), bool (B, n) -> (B, m): the share of padded keys when their score is 0, from exp(0) = 1 for each."""
    kept = key_is_valid[:, None, :].expand_as(scores)
    largest = torch.where(kept, scores.double(), 0.0).amax(dim=-1, keepdim=True)
    real = (torch.where(kept, scores.double() - largest, 0.0).exp() * kept).sum(dim=-1)
    padded = torch.where(kept, -torch.inf, -largest).exp().sum(dim=-1)
    return padded / (real + padded)


def token_losses(logits: Tensor, targets: Tensor) -> Tensor:
    """(B, T, V), (B, T) -> (B, T): logsumexp of the logits minus the target's own, position by position."""
    largest = logits.double().amax(dim=-1, keepdim=True)
    total = (logits.double() - largest).exp().sum(dim=-1).log() + largest.squeeze(-1)
    return total - logits.double().gather(-1, targets.unsqueeze(-1)).squeeze(-1)


def masked_cross_entropy(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """(B, T, V), (B, T) -> (): the mean loss of the positions whose target is not padding, in nats."""
    return token_losses(logits, targets)[targets != pad_id].mean()


def mistaken_masked_attention(queries: Tensor, keys: Tensor, values: Tensor, key_is_valid: Tensor) -> Mapping[str, Tensor]:
    """Weights (B, m, n) of known mistakes, by the name a student reads."""
    scores, valid = scaled_scores(queries, keys), key_is_valid[:, None, :]
    d_k = keys.shape[-1]
    return mistaken_weights(scores, valid, d_k) | {
        "the scale counts the keys: the root should be of d_k": masked_softmax(scores * (d_k / keys.shape[-2]) ** 0.5, valid),
        "the scale is the root of the width of the values; it should be that of d_k": masked_softmax(
            scores * (d_k / values.shape[-1]) ** 0.5, valid
        ),
        "the mask is upside down: real keys were excluded and padded ones kept": masked_softmax(scores, ~valid),
    }


def mistaken_causal_attention(Q: Tensor, K: Tensor, V: Tensor) -> Mapping[str, Tensor]:
    """Weights (..., T, T) of known mistakes, by the name a student reads."""
    scores, allowed = scaled_scores(Q, K), causal_mask(Q.shape[-2])
    return mistaken_weights(scores, allowed, K.shape[-1]) | {
        "the triangle is turned: a query sees itself and what comes after it": masked_softmax(scores, allowed.mT),
        "the mask is upside down: a query sees only what comes after it": masked_softmax(scores, ~allowed),
        "the diagonal is missing: a query may see itself": masked_softmax(scores, allowed & ~allowed.mT),
    }


def mistaken_weights(scores: Tensor, allowed: Tensor, d_k: int) -> dict[str, Tensor]:
    """(..., m, n), bool: what goes wrong with any mask; the weights by name."""
    kept = allowed.expand_as(scores)
    return {
        "the mask has no effect (is the result of masked_fill thrown away?)": softmax(scores),
        "masked scores are set to nearly 0, and exp(0) = 1 still earns weight; they are to be excluded": softmax(
            torch.where(kept, scores, 0.0)
        ),
        "the mask comes after the softmax, and what is left is not divided by its sum": softmax(scores) * kept,
        "the scale is missing: the scores are to be divided by sqrt(d_k)": masked_softmax(scores * d_k**0.5, kept),
        "the scores are divided by d_k; it should be its square root": masked_softmax(scores / d_k**0.5, kept),
        "the scores are multiplied by sqrt(d_k); they should be divided by it": masked_softmax(scores * d_k, kept),
        "the softmax runs over the queries; it should run over the keys, the last axis": masked_softmax(scores.mT, kept.mT).mT,
    }


def rounded_roots(queries: Tensor, keys: Tensor, allowed: Tensor) -> Mapping[str, Tensor]:
    """(..., m, d_k), (..., n, d_k), bool -> weights (..., m, n) of a root that lost its fraction, by the name a student reads."""
    scores, root = scaled_scores(queries, keys), keys.shape[-1] ** 0.5
    cut, rounded = "cut to a whole number", "rounded to a whole number"
    return {
        f"the root of d_k is {what}; keep its fraction": masked_softmax(scores * (root / whole), allowed)
        for what, whole in ((cut, int(root)), (rounded, round(root)))
    }


def mistaken_leaks(scores: Tensor, key_is_valid: Tensor) -> Mapping[str, Tensor]:
    """Leaks (B, m) of known mistakes, by the name a student reads."""
    padded = ~key_is_valid[:, None, :]
    zeroed = torch.where(padded, 0.0, scores.double())
    leak = zero_score_leak(scores, key_is_valid)
    return {
        "this is what padded keys earn with the scores they came with; set these to 0 first": (softmax(scores) * padded).sum(-1),
        "this is the weight of the real keys; that of the padded ones is asked for": 1 - leak,
        "this is the mean weight of a padded key; all of them together are asked for": leak / padded.sum(-1),
        "the softmax runs over the queries; it should run over the keys": (softmax(zeroed.mT).mT * padded).sum(-1),
        "padded keys were excluded; the leak of a score of 0 is asked for": torch.zeros_like(leak),
    }


def mistaken_cross_entropies(logits: Tensor, targets: Tensor, pad_id: int) -> Mapping[str, Tensor]:
    """Losses () of known mistakes, by the name a student reads."""
    losses, real = token_losses(logits, targets), targets != pad_id
    kept = losses * real
    return {
        "padding is counted: this is the mean over all positions": losses.mean(),
        "the sum is over real positions, but it is divided by the number of all": kept.sum() / real.numel(),
        "this is the mean of the rows' means; every real position counts the same": (kept.sum(1) / real.sum(1)).mean(),
        "these are the row sums' mean; divide by the number of real positions": kept.sum() / len(real),
        "this is the sum; the mean is asked for": kept.sum(),
        "there is a softmax too many: cross entropy takes the logits as they are": token_losses(softmax(logits), targets)[
            real
        ].mean(),
        "the logarithm is to base 2; here it is the natural one": kept.sum() / real.sum() / torch.tensor(2.0).double().log(),
        "the sign is turned": -kept.sum() / real.sum(),
    }
