"""The weights before the logarithm are detached: what is left of the gradient is zero.
points: entropy 3
Class: gradient cut. Fails entropy_batched.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp().detach() * log_p).sum(dim=-1)
