"""One maximum for the whole batch: 0 / 0 in every row that lies 1e4 below another.
points: entropy 3
Class: not stable. Fails entropy_extremes.
"""

import torch


def entropy(logits):
    e = torch.exp(logits - logits.max())
    p = e / e.sum(dim=-1, keepdim=True)
    return -(p * torch.log(p + 1e-12)).sum(dim=-1)
