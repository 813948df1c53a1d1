"""The axis of the keys stays, with length one.
points: entropy 0
Class: shape. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1, keepdim=True)
