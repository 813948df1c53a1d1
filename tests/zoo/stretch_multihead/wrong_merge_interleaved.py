"""The columns of different heads alternate in the merged rows.
points: merge_heads 0
Class: heads interleaved. Fails merge_heads_values and merge_heads_inverse.
"""

import torch


def merge_heads(x):
    B, n_heads, T, d_head = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, n_heads * d_head)
