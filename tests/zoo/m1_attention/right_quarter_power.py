"""Queries and keys each divided by the fourth root of d_k, as fused kernels do it.
points: all
"""


def attention(Q, K, V, d_k):
    factor = d_k**-0.25
    scores = (Q * factor) @ (K * factor).transpose(-1, -2)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights
