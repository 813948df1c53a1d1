"""References of the exam's two code problems, in float64 and written for clarity; no code is shared with the solutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from grader_tests.references.masking import masked_softmax, mistaken_weights


class Projections(NamedTuple):
    """The two weights as nn.Linear keeps them: W_k (d_a, d_k), W_q (d_a, d_q)."""

    W_k: Tensor
    W_q: Tensor


class Reading(NamedTuple):
    """One question to a `ProjectedDotAttention`: query (B, d_q), keys (B, n, d_k), bool (B, n)."""

    projections: Projections
    query: Tensor
    keys: Tensor
    key_is_valid: Tensor


def projected_scores(reading: Reading) -> Tensor:
    """(B, n): dot products of the projected query and keys, not yet scaled."""
    (W_k, W_q), query, keys, _ = reading
    projected_query = torch.einsum("bq,aq->ba", query.double(), W_q.double())
    projected_keys = torch.einsum("bnk,ak->bna", keys.double(), W_k.double())
    return torch.einsum("ba,bna->bn", projected_query, projected_keys)


def projected_attention(reading: Reading) -> tuple[Tensor, Tensor]:
    """Context (B, d_k), weights (B, n): raw keys mixed by softmax((W_q q) · (W_k k) / sqrt(d_a)) over the valid ones."""
    d_a = len(reading.projections.W_q)
    weights = masked_softmax(projected_scores(reading) / d_a**0.5, reading.key_is_valid)
    return mixed(weights, reading.keys), weights


def mixed(weights: Tensor, keys: Tensor) -> Tensor:
    """(B, n), (B, n, d) -> (B, d)."""
    return torch.einsum("bn,bnd->bd", weights.double(), keys.double())


class Calibration(NamedTuple):
    """Arguments of `calibrated_attention`: (B, m, d_k), (B, n, d_k), (B, n, d_v), bool (B, n), two variances."""

    Q: Tensor
    K: Tensor
    V: Tensor
    key_is_valid: Tensor
    var_q: float
    var_k: float


def calibrated_attention(given: Calibration) -> tuple[Tensor, Tensor]:
    """Output (B, m, d_v), weights (B, m, n): scores over sqrt(d_k * var_q * var_k), padded keys and their values left out."""
    divisor = (given.K.shape[-1] * given.var_q * given.var_k) ** 0.5
    weights = masked_softmax(dots(given) / divisor, given.key_is_valid[:, None, :])
    real = torch.where(given.key_is_valid[:, :, None], given.V.double(), 0.0)
    return torch.einsum("bij,bjv->biv", weights, real), weights


def dots(given: Calibration) -> Tensor:
    """(B, m, n)."""
    return torch.einsum("bid,bjd->bij", given.Q.double(), given.K.double())


def mistaken_projected_weights(reading: Reading) -> Mapping[str, Tensor]:
    """Weights (B, n) of known mistakes, by the name a student reads."""
    scores, valid, keys = projected_scores(reading), reading.key_is_valid, reading.keys
    d_a, d_k, d_q = len(reading.projections.W_q), keys.shape[-1], reading.query.shape[-1]
    rescaled = {
        "the scale is missing: the scores are to be divided by sqrt(d_a)": 1.0,
        "the scores are divided by d_a; it should be its square root": d_a,
        "the scores are multiplied by sqrt(d_a); they should be divided by it": d_a**-0.5,
        "the scale is the root of d_k; the projected vectors are d_a wide": d_k**0.5,
        "the scale is the root of d_q; the projected vectors are d_a wide": d_q**0.5,
        "the scale is the root of the number of keys; it should be that of d_a": keys.shape[1] ** 0.5,
    }
    scaled = scores / d_a**0.5
    return {name: masked_softmax(scores / divisor, valid) for name, divisor in rescaled.items()} | {
        "the mask has no effect (is the result of masked_fill thrown away?)": scaled.softmax(dim=-1),
        "masked scores are set to nearly 0, and exp(0) = 1 still earns weight; they are to be excluded": torch.where(
            valid, scaled, 0.0
        ).softmax(dim=-1),
        "the mask comes after the softmax, and what is left is not divided by its sum": scaled.softmax(dim=-1) * valid,
        "the mask is upside down: real keys were excluded and padded ones kept": masked_softmax(scaled, ~valid),
        "the softmax runs over the examples; it should run over the keys": masked_softmax(scaled.mT, valid.mT).mT,
    }


def mistaken_contexts(reading: Reading, weights: Tensor) -> Mapping[str, Tensor]:
    """Contexts that known mistakes make of weights (B, n), by the name a student reads."""
    W_k = reading.projections.W_k.double()
    projected = torch.einsum("bnk,ak->bna", reading.keys.double(), W_k)
    return {
        "this is the mean of the keys": reading.keys.double().mean(dim=1),
        "this is the key with the largest weight; the keys are to be mixed": reading.keys.double()[
            torch.arange(len(weights)), weights.argmax(dim=-1)
        ],
        "the projected keys were mixed; the values are the raw keys": mixed(weights, projected),
    }


def mistaken_calibrated_weights(given: Calibration) -> Mapping[str, Tensor]:
    """Weights (B, m, n) of known mistakes, by the name a student reads. Where both variances are one, few of them differ."""
    raw, valid, d_k = dots(given), given.key_is_valid[:, None, :], given.K.shape[-1]
    var_q, var_k = given.var_q, given.var_k
    divisors = {
        "the scores are not divided: the divisor is sqrt(d_k * var_q * var_k)": 1.0,
        "the variances are not used: the divisor is sqrt(d_k * var_q * var_k)": d_k**0.5,
        "the scores are divided by their variance; it should be its square root": d_k * var_q * var_k,
        "the variances stand outside the root, as if they were standard deviations": d_k**0.5 * var_q * var_k,
        "var_k is not used": (d_k * var_q) ** 0.5,
        "var_q is not used": (d_k * var_k) ** 0.5,
        "the variances are added; that of a product of independent factors is their product": (d_k * (var_q + var_k)) ** 0.5,
        "d_k is not used": (var_q * var_k) ** 0.5,
        "the variances are multiplied with the scores; they should divide them": (d_k / (var_q * var_k)) ** 0.5,
    }
    found = {name: masked_softmax(raw / divisor, valid) for name, divisor in divisors.items()}
    scaled = raw / (d_k * var_q * var_k) ** 0.5
    return found | {
        **{name: wrong for name, wrong in mistaken_weights(scaled, valid, d_k).items() if "d_k" not in name},
        "the mask is upside down: real keys were excluded and padded ones kept": masked_softmax(scaled, ~valid),
    }
