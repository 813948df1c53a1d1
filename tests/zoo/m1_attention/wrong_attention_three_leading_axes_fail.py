"""Einsum tables for two, three and four axes, and none for more.
points: attention 5, self_attention 1, cross_attention 1
Class: answers that only look right for few axes. Fails attention_batched; what is built on it raises too.
"""

import math

import torch


def attention(Q, K, V, d_k):
    rule = {2: ("id,jd->ij", "ij,jv->iv"), 3: ("bid,bjd->bij", "bij,bjv->biv"), 4: ("abid,abjd->abij", "abij,abjv->abiv")}
    into_scores, into_output = rule[Q.dim()]
    weights = torch.softmax(torch.einsum(into_scores, Q, K) / math.sqrt(d_k), dim=-1)
    return torch.einsum(into_output, weights, V), weights
