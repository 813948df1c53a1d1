"""Float64 is cut to float32 and comes back.
points: softmax_jacobian 2
Class: float32 inside. Fails softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits.float(), dim=-1)
    return (torch.diag(p) - torch.outer(p, p)).to(logits.dtype)
