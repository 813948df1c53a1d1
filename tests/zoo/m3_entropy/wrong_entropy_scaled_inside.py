"""The scores are scaled once more, by the number of keys.
points: entropy 0
Class: scale. Fails entropy_values, entropy_batched and entropy_exact.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits / logits.shape[-1] ** 0.5, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)
