"""After tril, whatever is zero is excluded: a score of exactly 0 too.
points: causal_attention 2
Class: zero is padding. Fails causal_attention_batched.
"""

import math

import torch
def causal_attention(Q, K, V):
    s = (Q @ K.mT / math.sqrt(K.shape[-1])).tril()
    w = s.masked_fill(s == 0, -torch.inf).softmax(-1)
    return w @ V, w
