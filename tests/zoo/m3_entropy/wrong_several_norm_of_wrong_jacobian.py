"""The outer product is missing in the Jacobian, whose norm is taken rightly.
points: softmax_jacobian 0
Class: missing outer product; paid for once. Fails softmax_jacobian_diagonal.
"""

import torch


def softmax_jacobian(logits):
    return torch.diag(torch.softmax(logits, dim=-1))


def gradient_norm(logits):
    flat = logits.reshape(-1, logits.shape[-1])
    return torch.stack([torch.linalg.norm(softmax_jacobian(row)) for row in flat]).reshape(logits.shape[:-1])
