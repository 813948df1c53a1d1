"""bmm, a fill of -1e9, NaN turned to zero with the padding.
points: all
"""

import torch
import torch.nn.functional as F
from torch import nn


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q: int, d_k: int, d_a: int):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.scale = torch.sqrt(torch.tensor(float(d_a)))

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        scores = torch.bmm(self.W_k(keys), self.W_q(query)[:, :, None])[:, :, 0] / self.scale
        scores = scores.masked_fill(key_is_valid == 0, -1e9)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights[:, None], keys)[:, 0], weights


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    divisor = torch.sqrt(torch.tensor(K.shape[-1] * var_q * var_k))
    scores = torch.bmm(Q, K.transpose(1, 2)) / divisor
    scores = scores.masked_fill(~key_is_valid[:, None], -1e9)
    weights = F.softmax(scores, dim=-1)
    V = torch.where(key_is_valid[..., None].expand_as(V), V, torch.zeros_like(V))
    return torch.bmm(weights, V), weights
