"""Whatever comes in, float32 comes out.
points: entropy 1
Class: float32 returned. Fails entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits.float(), dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)
