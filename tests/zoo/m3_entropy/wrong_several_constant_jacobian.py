"""A Jacobian that ignores its logits excuses no norm.
points: softmax_jacobian 0, gradient_norm 0
Class: constant.
"""

import torch


def softmax_jacobian(logits):
    return torch.eye(logits.shape[-1], dtype=logits.dtype)


def gradient_norm(logits):
    return torch.full(logits.shape[:-1], logits.shape[-1] ** 0.5, dtype=logits.dtype)
