"""Float64 comes out for float32.
points: entropy 3
Class: dtype not kept. Fails entropy_batched.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits.double(), dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)
