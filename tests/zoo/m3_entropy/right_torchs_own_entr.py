"""torch.special.entr, and a Jacobian by autograd: nothing forbids either.
points: all
"""

import torch


def entropy(logits):
    return torch.special.entr(torch.softmax(logits, dim=-1)).sum(dim=-1)


def softmax_jacobian(logits):
    return torch.autograd.functional.jacobian(lambda x: torch.softmax(x, dim=-1), logits)


def gradient_norm(logits):
    flat = logits.reshape(-1, logits.shape[-1])
    return torch.stack([torch.linalg.norm(softmax_jacobian(row)) for row in flat]).reshape(logits.shape[:-1])
