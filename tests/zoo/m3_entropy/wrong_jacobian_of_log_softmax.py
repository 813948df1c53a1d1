"""The Jacobian of log_softmax.
points: softmax_jacobian 0
Class: another function. Fails softmax_jacobian_diagonal, softmax_jacobian_off_diagonal and softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.eye(len(p), dtype=p.dtype) - p.expand(len(p), -1)
