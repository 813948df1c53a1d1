"""torch.where everywhere, with the lowest finite number as the fill.
points: all
"""

import torch


def zero_score_leak(scores, key_is_valid):
    zeroed = torch.where(key_is_valid.unsqueeze(1), scores, torch.zeros_like(scores))
    return torch.where(key_is_valid.unsqueeze(1), 0, zeroed.softmax(-1)).sum(-1)


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
    scores = torch.bmm(queries, keys.mT) * keys.shape[-1] ** -0.5
    scores = torch.where(key_is_valid.unsqueeze(1), scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    return torch.bmm(weights, torch.where(key_is_valid.unsqueeze(2), values, torch.zeros_like(values))), weights


def causal_attention(Q, K, V):
    scores = torch.matmul(Q, K.mT) * K.shape[-1] ** -0.5
    seen = torch.ones_like(scores, dtype=torch.bool).tril()
    weights = torch.where(seen, scores, torch.finfo(scores.dtype).min).softmax(-1)
    return torch.matmul(weights, V), weights


def masked_cross_entropy(logits, targets, pad_id):
    real = targets.ne(pad_id)
    if not real.any():
        raise ValueError("no real target")
    losses = -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    return torch.where(real, losses, 0).sum() / real.sum()
