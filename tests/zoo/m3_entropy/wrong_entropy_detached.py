"""The weights are detached before the logarithm.
points: entropy 3
Class: gradient cut. Fails entropy_batched.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1).detach()
    return -torch.xlogy(p, p).sum(dim=-1)
