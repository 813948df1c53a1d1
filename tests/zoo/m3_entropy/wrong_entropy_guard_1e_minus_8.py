"""A guard ten times the one that is allowed.
points: entropy 3
Class: eps so big that it shows. Fails entropy_exact.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)
    return -(p * torch.log(p + 1e-8)).sum(dim=-1)
