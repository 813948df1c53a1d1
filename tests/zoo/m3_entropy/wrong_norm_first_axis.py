"""The softmax runs over the first axis.
points: gradient_norm 1
Class: softmax over the wrong axis. Fails gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.softmax(logits, dim=0)
    J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return torch.linalg.matrix_norm(J)
