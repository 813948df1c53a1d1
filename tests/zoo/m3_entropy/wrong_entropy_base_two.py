"""Bits for nats.
points: entropy 0
Class: base 2; what is built on it is right. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import math

import torch


def entropy(logits):
    log_p = torch.log_softmax(logits, dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1) / math.log(2)
