"""The axis that torch guesses: the first of one or three, the second of two.
points: entropy 3
Class: softmax over the implicit axis. Fails entropy_batched.
"""

import torch
import torch.nn.functional as F


def entropy(logits):
    p = F.softmax(logits)
    return -torch.xlogy(p, p).sum(dim=-1)
