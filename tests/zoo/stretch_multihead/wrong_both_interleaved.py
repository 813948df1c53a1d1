"""Columns alternate between the heads, and are merged the same way.
points: split_heads 0.5, merge_heads 0.5
Class: heads interleaved. Fails split_heads_values and merge_heads_values.
"""

import torch


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.reshape(B, T, d_model // n_heads, n_heads).permute(0, 3, 1, 2)


def merge_heads(x):
    B, n_heads, T, d_head = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, n_heads * d_head)
