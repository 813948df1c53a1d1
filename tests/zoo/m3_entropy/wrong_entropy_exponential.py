"""The number of keys in effect.
points: entropy 0
Class: perplexity. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return torch.exp(-(log_p.exp() * log_p).sum(dim=-1))
