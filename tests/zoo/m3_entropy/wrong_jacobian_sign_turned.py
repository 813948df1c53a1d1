"""p pᵀ - diag(p).
points: softmax_jacobian 1
Class: sign. Fails softmax_jacobian_diagonal and softmax_jacobian_off_diagonal.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.outer(p, p) - torch.diag(p)
