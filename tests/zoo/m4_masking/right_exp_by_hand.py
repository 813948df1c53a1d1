"""Exponentials by hand, with the largest real score taken off first.
points: all
"""

import math

import torch


def shares(scores, keep):
    largest = scores.masked_fill(~keep, -math.inf).max(dim=-1, keepdim=True).values
    powers = torch.exp((scores - largest).masked_fill(~keep, -math.inf))
    return powers / powers.sum(dim=-1, keepdim=True)


def masked_attention(queries, keys, values, key_is_valid):
    if queries.dim() != 3 or keys.dim() != 3 or values.dim() != 3:
        raise ValueError("queries, keys and values must have three axes")
    if queries.size(-1) != keys.size(-1):
        raise ValueError("queries and keys must have the same width")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError("there must be one value for each key")
    if key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool:
        raise ValueError("key_is_valid must be a bool tensor of shape (B, n)")
    if not key_is_valid.any(dim=1).all():
        raise ValueError("every example needs a valid key")
    scores = torch.einsum("bmd,bnd->bmn", queries, keys) / math.sqrt(keys.shape[2])
    weights = shares(scores, key_is_valid[:, None, :])
    return torch.einsum("bmn,bnv->bmv", weights, values.masked_fill(~key_is_valid[..., None], 0)), weights


def causal_attention(Q, K, V):
    scores = torch.einsum("...id,...jd->...ij", Q, K) / math.sqrt(K.shape[-1])
    weights = shares(scores, causal_mask(Q.shape[-2]))
    return torch.einsum("...ij,...jv->...iv", weights, V), weights


def zero_score_leak(scores, key_is_valid):
    real = key_is_valid[:, None, :].expand_as(scores)
    scores = scores.masked_fill(~real, 0)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return (powers * ~real).sum(-1) / powers.sum(-1)


def masked_cross_entropy(logits, targets, pad_id):
    real = (targets != pad_id).nonzero()
    if len(real) == 0:
        raise ValueError("nothing to grade")
    total = 0
    for b, t in real.tolist():
        total = total + torch.logsumexp(logits[b, t], dim=0) - logits[b, t, targets[b, t]]
    return total / len(real)
