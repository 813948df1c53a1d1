"""einsum, torch.where, the layers in the other order.
points: all
"""

import torch
from torch import nn


class ProjectedDotAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.d_a = d_a

    def forward(self, query, keys, key_is_valid):
        keys = keys.masked_fill(~key_is_valid.unsqueeze(-1), 0.0)
        scores = torch.einsum("ba,bna->bn", self.W_q(query), self.W_k(keys)) / self.d_a**0.5
        weights = torch.where(key_is_valid, scores, -torch.inf).softmax(1)
        return torch.einsum("bn,bnk->bk", weights, keys), weights


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    d_k = K.size(-1)
    scores = torch.einsum("bik,bjk->bij", Q / var_q**0.5, K / var_k**0.5) * d_k**-0.5
    weights = torch.where(key_is_valid.unsqueeze(1), scores, -torch.inf).softmax(2)
    return torch.einsum("bij,bjv->biv", weights, torch.where(key_is_valid.unsqueeze(2), V, 0.0)), weights
