"""A guard on the safe side.
points: entropy 0
Class: eps so big that it shows. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p + 1e-3)).sum(dim=-1)
