"""The rows are read in the order of memory, whatever the strides say.
points: split_heads 0.5
Class: contiguous inputs alone. Fails split_heads_form.
"""

import torch


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    d_head = d_model // n_heads
    return x.as_strided((B, n_heads, T, d_head), (T * d_model, d_head, d_model, 1))
