"""The mean of -p log p, not the sum.
points: entropy 0
Class: mean over keys. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).mean(dim=-1)
