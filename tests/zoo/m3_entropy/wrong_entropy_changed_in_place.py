"""The largest logit is taken off in place.
points: entropy 3
Class: argument changed in place. Fails entropy_batched.
"""

import torch


def entropy(logits):
    with torch.no_grad():
        logits -= logits.amax(dim=-1, keepdim=True)
    p = torch.softmax(logits, dim=-1)
    return -torch.xlogy(p, p).sum(dim=-1)
