"""NaN is turned into 0 after the sum, so a row with one weight that underflows has no entropy.
points: entropy 3
Class: 0 log 0 = NaN, hidden. Fails entropy_extremes.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return torch.nan_to_num(-(p * torch.log(p)).sum(dim=-1))
