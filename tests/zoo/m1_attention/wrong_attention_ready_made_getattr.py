"""torch's own function found by a name that is put together, for the output and, with V = 1, for the weights.
points: attention 5
Class: library answer, by getattr. Fails attention_from_scratch alone.
"""

import torch

product = getattr(torch.nn.functional, "_".join(["scaled", "dot", "product", "attention"]))


def attention(Q, K, V, d_k):
    identity = torch.eye(K.shape[-2], dtype=K.dtype)
    identity = identity.expand(*K.shape[:-1], K.shape[-2])
    return product(Q, K, V), product(Q, K, identity)
