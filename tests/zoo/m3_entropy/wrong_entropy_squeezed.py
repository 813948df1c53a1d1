"""An axis of one row is lost.
points: entropy 3
Class: only looks right for several rows. Fails entropy_batched.
"""

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1).squeeze()
