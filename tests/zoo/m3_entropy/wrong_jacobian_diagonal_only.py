"""p (1 - p) on the diagonal, and nothing beside it.
points: softmax_jacobian 2
Class: diagonal only. Fails softmax_jacobian_off_diagonal.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.diag(p * (1 - p))
