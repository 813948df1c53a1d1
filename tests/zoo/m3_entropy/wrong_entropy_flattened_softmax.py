"""One softmax over the whole batch.
points: entropy 3
Class: flattened. Fails entropy_batched.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits.flatten(), dim=0).reshape(logits.shape)
    return -torch.xlogy(p, p).sum(dim=-1)
