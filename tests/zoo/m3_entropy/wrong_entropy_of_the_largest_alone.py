"""Only the largest weight's term.
points: entropy 0
Class: term missing. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    top = torch.softmax(logits, dim=-1).amax(dim=-1)
    return -top * torch.log(top)
