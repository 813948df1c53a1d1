"""Every function ends without a return.
points: padding_mask 0, causal_mask 0, zero_score_leak 0, masked_attention 0, causal_attention 0, masked_cross_entropy 0
Class: return forgotten.
"""

import math

import torch


def padding_mask(lengths, max_len):
    mask = torch.arange(max_len) < lengths[:, None]


def causal_mask(T):
    mask = torch.ones(T, T).tril().bool()


def zero_score_leak(scores, key_is_valid):
    leak = torch.softmax(scores * key_is_valid[:, None], -1)


def masked_attention(queries, keys, values, key_is_valid):
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])


def causal_attention(Q, K, V):
    scores = Q @ K.mT / math.sqrt(K.shape[-1])


def masked_cross_entropy(logits, targets, pad_id):
    loss = torch.log_softmax(logits, -1)
