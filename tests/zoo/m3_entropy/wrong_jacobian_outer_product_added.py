"""The outer product is added.
points: softmax_jacobian 0
Class: sign. Fails softmax_jacobian_diagonal, softmax_jacobian_off_diagonal and softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.diag(p) + torch.outer(p, p)
