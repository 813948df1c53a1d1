"""-p pᵀ throughout: the diagonal has no p of its own.
points: softmax_jacobian 1
Class: missing diagonal. Fails softmax_jacobian_diagonal and softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    return -torch.outer(p, p)
