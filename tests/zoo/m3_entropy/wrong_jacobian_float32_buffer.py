"""Filled into a buffer of the default dtype.
points: softmax_jacobian 2
Class: float32 inside. Fails softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    J = torch.zeros(len(p), len(p))
    for i in range(len(p)):
        for j in range(len(p)):
            J[i, j] = p[i] * (float(i == j) - p[j])
    return J
