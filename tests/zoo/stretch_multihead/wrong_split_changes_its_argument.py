"""The rows are scaled in place on the way.
points: split_heads 0, multi_head_attention 5
Fails split_heads_values, split_heads_form, multi_head_self_weights, multi_head_cross_weights, multi_head_output and
multi_head_parity.
"""

import torch


def split_heads(x, n_heads):
    x.mul_(1.0 + 1e-3)
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)
