"""Softmax and sum run over the queries.
points: entropy 3
Class: softmax over the wrong axis. Fails entropy_batched.
"""

import torch


def entropy(logits):
    axis = max(logits.dim() - 2, 0)
    log_p = torch.log_softmax(logits, dim=axis)
    return -(log_p.exp() * log_p).sum(dim=axis)
