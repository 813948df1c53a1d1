"""The formula as it stands in the book: 0 times log 0.
points: entropy 3
Class: 0 log 0 = NaN. Fails entropy_extremes.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p)).sum(dim=-1)
