"""A floor under the weights that few rows notice.
points: entropy 3
Class: eps so big that it shows. Fails entropy_exact.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p.clamp(min=1e-6))).sum(dim=-1)
