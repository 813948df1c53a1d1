"""The first score is taken off for the exponential, not the largest.
points: causal_attention 2
Class: overflow for large scores. Fails causal_attention_future.
"""

import math

import torch
def causal_attention(Q, K, V):
    s = (Q @ K.mT / math.sqrt(K.shape[-1]))
    e = (s - s[..., :1]).exp().tril()
    w = e / e.sum(-1, keepdim=True)
    return w @ V, w
