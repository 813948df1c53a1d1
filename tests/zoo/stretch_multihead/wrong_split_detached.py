"""The heads are cut off from the gradient.
points: split_heads 0.5, multi_head_attention 7
Fails split_heads_form and multi_head_properties.
"""

import torch


def split_heads(x, n_heads):
    return torch.stack(x.detach().chunk(n_heads, dim=-1), dim=1)
