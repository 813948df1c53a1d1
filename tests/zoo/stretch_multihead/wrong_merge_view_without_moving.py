"""The way back forgets to move the axis, and the module trusts it; the split is right.
points: merge_heads 0
Fails merge_heads_values and merge_heads_inverse.
"""

import torch


def merge_heads(x):
    return x.flatten(2).reshape(x.shape[0], x.shape[2], -1)
