"""Exponentials of logits as they are.
points: gradient_norm 1
Class: overflow at 1e4. Fails gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.exp(logits) / torch.exp(logits).sum(dim=-1, keepdim=True)
    J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return torch.linalg.matrix_norm(J)
