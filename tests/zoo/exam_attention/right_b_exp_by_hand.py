"""exp and sum by hand, with the largest score taken off; log of the divisor.
points: all
"""

import math

import torch
from torch import nn


def shares(scores, kept):
    scores = scores.masked_fill(~kept, -math.inf)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super(ProjectedDotAttention, self).__init__()
        self.add_module("W_k", nn.Linear(d_k, d_a, bias=False))
        self.add_module("W_q", nn.Linear(d_q, d_a, bias=False))

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        q = self.W_q(query) / math.sqrt(self.W_q.out_features)
        weights = shares((q[:, None] * self.W_k(keys)).sum(-1), key_is_valid)
        return (weights[..., None] * keys).sum(1), weights


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    log_divisor = 0.5 * (math.log(K.shape[-1]) + math.log(var_q) + math.log(var_k))
    weights = shares(Q @ K.mT * math.exp(-log_divisor), key_is_valid[:, None].expand(-1, Q.shape[1], -1))
    return weights @ torch.nan_to_num(V).masked_fill(~key_is_valid[:, :, None], 0), weights
