"""Float32 comes out for float64.
points: gradient_norm 1
Class: float32 returned. Fails gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.softmax(logits, dim=-1)
    J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return torch.linalg.matrix_norm(J).float()
