"""The largest logit is taken off in place.
points: gradient_norm 1
Class: argument changed in place. Fails gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    logits -= logits.amax(dim=-1, keepdim=True)
    p = torch.softmax(logits, dim=-1)
    J = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return torch.linalg.matrix_norm(J)
