"""Minus 1,000 is added to the scores of the future: it leaks where one is some 300 above those of the past.
points: causal_attention 2
Class: a fill too small for large scores. Fails causal_attention_future.
"""

import math

import torch
def causal_attention(Q, K, V):
    s = Q @ K.mT / math.sqrt(K.shape[-1]) + torch.ones(Q.shape[-2], Q.shape[-2]).triu(1) * -1000.
    w = s.to(Q.dtype).softmax(-1)
    return w @ V, w
