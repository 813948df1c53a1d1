"""Divided by log n, so that equal weights have 1.
points: entropy 0
Class: normalised. Fails entropy_values, entropy_batched and entropy_exact.
"""

import math

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1) / math.log(logits.shape[-1] + 1e-9)
