"""Needs a table of rows.
points: gradient_norm 0
Class: only looks right with one batch axis. Fails gradient_norm_values and gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    return torch.stack([torch.linalg.norm(softmax_jacobian(row)) for row in logits])
