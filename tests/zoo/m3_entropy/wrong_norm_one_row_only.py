"""A single row is all it can do.
points: gradient_norm 1
Class: only looks right without a batch. Fails gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    return torch.linalg.norm(softmax_jacobian(logits))
