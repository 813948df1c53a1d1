"""References of stretch_multihead, in float64 and written for clarity; none shares code with the notebook's solutions.

Heads are cut and joined column by column, so that no view or reshape can go wrong in the same way as a student's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from grader_tests.references.attention import scaled_scores, softmax
from grader_tests.references.masking import masked_softmax


class Layers(NamedTuple):
    """The four weights, each (d_model, d_model) as nn.Linear keeps it: rows are outputs."""

    W_Q: Tensor
    W_K: Tensor
    W_V: Tensor
    W_O: Tensor


class Problem(NamedTuple):
    """One question to a module: queries (B, T_q, d_model), keys and values (B, T_k, d_model), None or bool (B, T_k)."""

    layers: Layers
    n_heads: int
    queries: Tensor
    keys: Tensor
    values: Tensor
    key_is_valid: Tensor | None = None


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """(B, T, d_model) -> (B, n_heads, T, d_head): head h takes columns h * d_head to (h + 1) * d_head."""
    d_head = x.shape[-1] // n_heads
    return torch.stack([x[..., h * d_head : (h + 1) * d_head] for h in range(n_heads)], dim=1)


def merge_heads(x: Tensor) -> Tensor:
    """(B, n_heads, T, d_head) -> (B, T, d_model): the heads' columns beside each other, head 0 first."""
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


def linear(x: Tensor, weight: Tensor) -> Tensor:
    """(B, T, d), (a, d) -> (B, T, a)."""
    return torch.einsum("btd,ad->bta", x.double(), weight.double())


def head_weights(Q: Tensor, K: Tensor, key_is_valid: Tensor | None) -> Tensor:
    """Heads (B, H, T_q, d_head), (B, H, T_k, d_head) -> (B, H, T_q, T_k): each head's shares of the keys that are real."""
    scores = scaled_scores(Q, K)
    return softmax(scores) if key_is_valid is None else masked_softmax(scores, key_is_valid[:, None, None, :])


def read(weights: Tensor, V: Tensor) -> Tensor:
    """(B, H, T_q, T_k), heads (B, H, T_k, d_head) -> heads (B, H, T_q, d_head)."""
    return torch.einsum("bhij,bhjv->bhiv", weights.double(), V.double())


def multi_head_attention(problem: Problem) -> tuple[Tensor, Tensor]:
    """Output (B, T_q, d_model), weights (B, H, T_q, T_k). Vaswani et al. 2017, section 3.2.2."""
    layers, n_heads, queries, keys, values, valid = problem
    Q, K, V = (split_heads(linear(x, W), n_heads) for x, W in ((queries, layers.W_Q), (keys, layers.W_K), (values, layers.W_V)))
    weights = head_weights(Q, K, valid)
    return linear(merge_heads(read(weights, V)), layers.W_O), weights


def torchs_own(problem: Problem) -> tuple[Tensor, Tensor]:
    """The same from torch's own module with these weights; its mask says True for what must not be read."""
    layers, n_heads, queries, keys, values, valid = problem
    state = {"in_proj_weight": torch.cat([layers.W_Q, layers.W_K, layers.W_V]), "out_proj.weight": layers.W_O}
    # On the device "meta" nothing is drawn: the weights that a module begins with are not used here.
    module = torch.nn.MultiheadAttention(queries.shape[-1], n_heads, bias=False, batch_first=True, device="meta")
    module.load_state_dict(state, assign=True)
    ignored = None if valid is None else ~valid
    with torch.no_grad():
        output, weights = module(queries, keys, values, key_padding_mask=ignored, average_attn_weights=False)
    return output, weights


def mistaken_splits(x: Tensor, n_heads: int) -> Mapping[str, Tensor]:
    """Heads (B, n_heads, T, d_head) of known mistakes, by the name a student reads."""
    B, T, d_model = x.shape
    d_head = d_model // n_heads
    return {
        "a view to (B, n_heads, T, d_head) mixes tokens with columns: cut the columns first, then move the axis": x.reshape(
            B, n_heads, T, d_head
        ),
        "head h takes every n_heads-th column; it should take d_head columns that stand side by side": torch.stack(
            [x[..., h::n_heads] for h in range(n_heads)], dim=1
        ),
        "the heads stand in the opposite order": split_heads(x, n_heads).flip(1),
    }


def mistaken_merges(x: Tensor) -> Mapping[str, Tensor]:
    """Rows (B, T, d_model) of known mistakes, by the name a student reads."""
    B, n_heads, T, d_head = x.shape
    columns = torch.stack([x[:, h, :, c] for c in range(d_head) for h in range(n_heads)], dim=-1)
    return {
        "a view to (B, T, d_model) mixes tokens with heads: exchange the two middle axes first": x.reshape(
            B, T, n_heads * d_head
        ),
        "the columns of different heads alternate; those of one head should stand side by side": columns,
        "the heads stand in the opposite order": merge_heads(x.flip(1)),
    }


def mistaken_weights(problem: Problem) -> Mapping[str, Tensor]:
    """Weights (B, H, T_q, T_k) of known mistakes, by the name a student reads."""
    layers, n_heads, queries, keys, _, _ = problem
    d_model = queries.shape[-1]
    d_head = d_model // n_heads
    Q, K = linear(queries, layers.W_Q), linear(keys, layers.W_K)
    scores = scaled_scores(split_heads(Q, n_heads), split_heads(K, n_heads))
    rescaled = {
        "the scale is missing: the scores are to be divided by sqrt(d_head)": d_head**0.5,
        "the scale is the root of d_model; a head's dot product runs over d_head columns": (d_head / d_model) ** 0.5,
        "the scores are divided by d_head; it should be its square root": d_head**-0.5,
        "the scores are multiplied by sqrt(d_head); they should be divided by it": float(d_head),
        "the scale is the root of the number of heads; it should be that of d_head": (d_head / n_heads) ** 0.5,
        "the scale is the root of the number of keys; it should be that of d_head": (d_head / keys.shape[1]) ** 0.5,
    }
    # Where sizes coincide, a factor is no mistake, and would give its name to whatever else is wrong.
    found = {name: softmax(scores * factor) for name, factor in rescaled.items() if factor != 1}
    found["the softmax runs over the queries; it should run over the keys, the last axis"] = softmax(scores.mT).mT
    found["the softmax runs over the heads; it should run over the keys, the last axis"] = softmax(scores.movedim(1, -1)).movedim(
        -1, 1
    )
    masked = {} if problem.key_is_valid is None else mistaken_masks(scores, problem.key_is_valid)
    # Of one head, or of heads of one column, every cut is right: a mask that is not used is told before it.
    return masked | found | mistaken_projections(problem) | mistaken_cuts(Q, K, n_heads)


def mistaken_masks(scores: Tensor, key_is_valid: Tensor) -> dict[str, Tensor]:
    """Weights (B, H, T_q, T_k) of scores where the mask (B, T_k) is used in another way."""
    hidden = ~key_is_valid[:, None, None, :]
    where_first = hidden & (torch.arange(scores.shape[1]) == 0)[:, None, None]
    found = {
        "the mask is not used": softmax(scores),
        "the mask is upside down: True says that a key is real": softmax(scores.masked_fill(~hidden, -torch.inf)),
        "the weights of padded keys are set to zero after the softmax, and the rest no longer adds up to one; mask the scores, "
        "before it": softmax(scores).masked_fill(hidden, 0.0),
        "the scores of padded keys are set to zero; minus infinity is what a softmax leaves out": softmax(
            scores.masked_fill(hidden, 0.0)
        ),
        "the mask reaches the first head alone": softmax(scores.masked_fill(where_first, -torch.inf)),
    }
    if scores.shape[-2] == scores.shape[-1]:
        found["the mask lies along the queries; it belongs to the keys, the last axis"] = softmax(
            scores.masked_fill(hidden.mT, -torch.inf)
        )
    return found


def mistaken_projections(problem: Problem) -> dict[str, Tensor]:
    """Weights (B, H, T_q, T_k) where queries or keys come from another layer or another input."""
    layers, n_heads, queries, keys, _, _ = problem

    def weights(Q: Tensor, K: Tensor) -> Tensor:
        return head_weights(split_heads(Q, n_heads), split_heads(K, n_heads), None)

    found = {
        "the keys are projected by W_Q; their own layer is W_K": weights(linear(queries, layers.W_Q), linear(keys, layers.W_Q)),
        "W_Q and W_K are exchanged": weights(linear(queries, layers.W_K), linear(keys, layers.W_Q)),
        "queries and keys are not projected": weights(queries, keys),
        "the layers' weights are multiplied without a transpose; call the layer: it computes x Wᵀ": weights(
            linear(queries, layers.W_Q.mT), linear(keys, layers.W_K.mT)
        ),
    }
    if queries.shape == keys.shape and not torch.equal(queries, keys):
        found["the keys are made from the queries; they are to be read from the second argument"] = weights(
            linear(queries, layers.W_Q), linear(queries, layers.W_K)
        )
    return found


def mistaken_cuts(Q: Tensor, K: Tensor, n_heads: int) -> dict[str, Tensor]:
    """Weights (B, H, T_q, T_k) where projections (B, T, d_model) are cut into heads in another way."""
    kinds = zip(mistaken_splits(Q, n_heads).items(), mistaken_splits(K, n_heads).values(), strict=True)
    return {name: head_weights(wrong_Q, wrong_K, None) for (name, wrong_Q), wrong_K in kinds}


def mistaken_outputs(problem: Problem, weights: Tensor) -> Mapping[str, Tensor]:
    """Outputs (B, T_q, d_model) that known mistakes make of a head's weights (B, H, T_q, T_k), by the name a student reads."""
    layers, n_heads, _, _, values, _ = problem
    V = split_heads(linear(values, layers.W_V), n_heads)
    heads = read(weights, V)
    merged = merge_heads(heads)
    found = {
        "the output layer W_O is left out": merged,
        "the heads' weights are averaged before the values are read; each head reads with its own": linear(
            merge_heads(read(weights.mean(dim=1, keepdim=True).expand_as(weights), V)), layers.W_O
        ),
        "the values are not projected by W_V": linear(merge_heads(read(weights, split_heads(values, n_heads))), layers.W_O),
        "W_O is multiplied without a transpose; call the layer: it computes x Wᵀ": linear(merged, layers.W_O.mT),
        "the values are projected by W_K; their own layer is W_V": linear(
            merge_heads(read(weights, split_heads(linear(values, layers.W_K), n_heads))), layers.W_O
        ),
        "the values are projected by W_Q; their own layer is W_V": linear(
            merge_heads(read(weights, split_heads(linear(values, layers.W_Q), n_heads))), layers.W_O
        ),
    }
    cut = mistaken_splits(linear(values, layers.W_V), n_heads)
    found |= {f"of the values: {name}": linear(merge_heads(read(weights, wrong)), layers.W_O) for name, wrong in cut.items()}
    return found | {name: linear(wrong, layers.W_O) for name, wrong in mistaken_merges(heads).items()}
