"""Heads are cut and merged by single views, each the inverse of the other.
points: split_heads 0.5, merge_heads 0.5
Class: view scrambles heads. Fails split_heads_values and merge_heads_values.
"""

import torch


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.reshape(B, n_heads, T, d_model // n_heads)


def merge_heads(x):
    B, n_heads, T, d_head = x.shape
    return x.reshape(B, T, n_heads * d_head)
