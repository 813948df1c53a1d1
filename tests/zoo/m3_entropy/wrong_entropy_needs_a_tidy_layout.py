"""A view of what may be laid out otherwise.
points: entropy 3
Class: view. Fails entropy_batched.
"""

import torch


def entropy(logits):
    flat = logits.view(-1, logits.shape[-1])
    log_p = torch.log_softmax(flat, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1).view(logits.shape[:-1])
