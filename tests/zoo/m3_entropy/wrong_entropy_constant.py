"""Always zero; what is built on it excuses nothing.
points: entropy 0, saturation_row 2, collapse_width 0
Class: constant. Fails entropy_values, entropy_batched and entropy_exact.
"""

import torch


def entropy(logits):
    return logits.sum(dim=-1) * 0
