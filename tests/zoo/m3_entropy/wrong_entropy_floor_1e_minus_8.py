"""The same as a floor under the weights.
points: entropy 3
Class: eps so big that it shows. Fails entropy_exact.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p.clamp(min=1e-8))).sum(dim=-1)
