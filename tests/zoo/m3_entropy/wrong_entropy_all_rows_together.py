"""The sum runs over everything: one number for a batch.
points: entropy 3
Class: flattened. Fails entropy_batched.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum()
