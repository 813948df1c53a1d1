"""One minus the sum of squares.
points: entropy 0
Class: another measure. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    return 1 - torch.softmax(logits, dim=-1).square().sum(dim=-1)
