"""The closed form from sums that cancel, held at 0 from below: nothing is left of nearly one-hot rows in float32.
points: gradient_norm 1
Class: digits lost. Fails gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.softmax(logits, -1)
    s2 = (p**2).sum(-1)
    return torch.sqrt((s2 - 2 * (p**3).sum(-1) + s2**2).clamp(min=0))
