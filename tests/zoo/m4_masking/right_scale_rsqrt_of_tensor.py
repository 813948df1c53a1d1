"""The scale as torch.rsqrt of a float32 tensor, and as a tensor to the power of minus a half.
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
    scores = queries @ keys.mT
    scores[(~key_is_valid)[:, None, :].expand_as(scores)] = float("-inf")
    scores = scores * torch.rsqrt(torch.tensor(float(keys.shape[-1])))
    weights = torch.nn.Softmax(dim=2)(scores)
    values = torch.where(key_is_valid[:, :, None].expand_as(values), values, torch.tensor(0.0, dtype=values.dtype))
    return weights.matmul(values), weights


def causal_attention(Q, K, V):
    scores = (Q @ K.mT).masked_fill(causal_mask(Q.shape[-2]).logical_not(), float("-inf"))
    weights = torch.nn.functional.softmax(scores * torch.tensor(float(K.shape[-1])) ** -0.5, dim=-1)
    return weights @ V, weights
