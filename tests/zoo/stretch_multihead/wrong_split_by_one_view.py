"""The heads are cut by a single view that mixes tokens with columns.
points: split_heads 0.5
Class: view scrambles heads. The module uses it rightly, and merge_heads is right. Fails split_heads_values.
"""

import torch


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.reshape(B, n_heads, T, d_model // n_heads)
