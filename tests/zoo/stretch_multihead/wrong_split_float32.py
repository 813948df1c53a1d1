"""The heads are always float32.
points: split_heads 0, multi_head_attention 1
Fails split_heads_values, split_heads_form, multi_head_layers, multi_head_from_scratch, multi_head_self_weights,
multi_head_cross_weights, multi_head_output, multi_head_properties, multi_head_mask_values, multi_head_mask_excludes and
multi_head_parity.
"""

import torch


def split_heads(x, n_heads):
    return torch.stack([head.float() for head in x.chunk(n_heads, dim=-1)], dim=1)
