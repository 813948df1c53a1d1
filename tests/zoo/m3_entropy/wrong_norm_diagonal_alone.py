"""The norm of p (1 - p).
points: gradient_norm 0
Class: diagonal only. Fails gradient_norm_values and gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.softmax(logits, dim=-1)
    return (p * (1 - p)).norm(dim=-1)
