"""Softmax by hand with the largest logit taken off; 0 log 0 by xlogy.
points: all
"""

import torch


def weights_of(logits):
    powers = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


def entropy(logits):
    p = weights_of(logits)
    return -torch.xlogy(p, p).sum(dim=-1)


def softmax_jacobian(logits):
    p = weights_of(logits)
    J = -torch.einsum("i,j->ij", p, p)
    J.diagonal().add_(p)
    return J


def gradient_norm(logits):
    p = weights_of(logits)
    n = p.shape[-1]
    J = -torch.einsum("...i,...j->...ij", p, p) + torch.eye(n, dtype=p.dtype) * p.unsqueeze(-1)
    return J.flatten(-2).norm(dim=-1)
