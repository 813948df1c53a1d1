"""Head h takes every n_heads-th column.
points: split_heads 0.5
Class: heads interleaved. Fails split_heads_values.
"""

import torch


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.reshape(B, T, d_model // n_heads, n_heads).permute(0, 3, 1, 2)
