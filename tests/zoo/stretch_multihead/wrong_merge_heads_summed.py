"""The heads are added up instead of put side by side.
points: merge_heads 0, multi_head_attention 6
Fails merge_heads_values, merge_heads_inverse, multi_head_output and multi_head_parity.
"""

import torch


def merge_heads(x):
    return x.sum(dim=1).repeat(1, 1, x.shape[1])
