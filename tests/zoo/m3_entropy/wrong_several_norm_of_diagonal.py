"""The diagonal alone, as a vector; its norm is the norm of what the first function returns.
points: softmax_jacobian 0
Class: diagonal only; paid for once. Fails softmax_jacobian_off_diagonal.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    return p * (1 - p)


def gradient_norm(logits):
    return softmax_jacobian(logits).norm(dim=-1)
