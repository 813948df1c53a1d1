"""The logits are taken for weights.
points: entropy 0
Class: softmax missing. Fails entropy_values, entropy_batched, entropy_extremes and entropy_exact.
"""

import torch


def entropy(logits):
    return -(logits * torch.log(logits.abs() + 1e-9)).sum(dim=-1)
