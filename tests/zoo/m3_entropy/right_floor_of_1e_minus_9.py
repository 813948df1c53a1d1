"""The weights are kept from falling below 1e-9 before the logarithm.
points: all
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, -1)
    return torch.sum(-p * torch.log(torch.maximum(p, torch.tensor(1e-9, dtype=p.dtype))), -1)
