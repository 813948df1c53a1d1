"""The sum of the diagonal.
points: gradient_norm 0
Class: sum of the diagonal. Fails gradient_norm_values and gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.softmax(logits, dim=-1)
    J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return J.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
