"""The output loses its last axis where values have width one.
points: causal_attention 2
Class: squeezed. Fails causal_attention_batched.
"""

import math

import torch
def causal_attention(Q, K, V):
    s = (Q @ K.mT / math.sqrt(K.shape[-1])).masked_fill(~causal_mask(Q.shape[-2]), -torch.inf)
    w = s.softmax(-1)
    return (w @ V).squeeze(-1), w
