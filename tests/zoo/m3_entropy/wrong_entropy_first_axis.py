"""The softmax runs over the first axis.
points: entropy 3
Class: softmax over the wrong axis. Fails entropy_batched.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=0)
    return -(log_p.exp() * log_p).sum(dim=-1)
