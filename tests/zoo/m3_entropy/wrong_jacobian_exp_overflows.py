"""Exponentials of logits as they are.
points: softmax_jacobian 2
Class: overflow at 1e4. Fails softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    p = torch.exp(logits) / torch.exp(logits).sum()
    return torch.diag(p) - torch.outer(p, p)
