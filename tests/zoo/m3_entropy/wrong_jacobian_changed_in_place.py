"""The largest logit is taken off in place.
points: softmax_jacobian 2
Class: argument changed in place. Fails softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    logits -= logits.max()
    p = torch.softmax(logits, dim=-1)
    return torch.diag(p) - torch.outer(p, p)
