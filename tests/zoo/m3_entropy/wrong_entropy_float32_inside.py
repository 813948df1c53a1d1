"""Float64 is cut to float32, and comes back as float64.
points: entropy 2
Class: float32 inside. Fails entropy_extremes, where logits of 10,000 lose their digits, and entropy_exact.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits.float(), dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1).to(logits.dtype)
