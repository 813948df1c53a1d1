"""Always zero.
points: gradient_norm 0
Class: constant. Fails gradient_norm_values and gradient_norm_batched.
"""

import torch


def gradient_norm(logits):
    return logits.sum(dim=-1) * 0
