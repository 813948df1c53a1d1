"""2 p (1 - p) of the largest weight: right for two keys.
points: gradient_norm 0
Class: short cut. Fails gradient_norm_values and gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    p = torch.softmax(logits, dim=-1).amax(dim=-1)
    return 2 * p * (1 - p)
