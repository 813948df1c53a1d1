"""torch's own function does all of it with the four weights.
points: multi_head_attention 6.5
Breaks the rule. Fails multi_head_from_scratch and multi_head_parity.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("n_heads must divide d_model")
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, queries, keys, values, key_is_valid=None):
        weight = [layer.weight for layer in (self.W_Q, self.W_K, self.W_V, self.W_O)]
        output, weights = torch.nn.functional.multi_head_attention_forward(
            queries.transpose(0, 1), keys.transpose(0, 1), values.transpose(0, 1), queries.shape[-1], self.n_heads,
            None, None, None, None, False, 0.0, weight[3], None, use_separate_proj_weight=True,
            q_proj_weight=weight[0], k_proj_weight=weight[1], v_proj_weight=weight[2],
            key_padding_mask=None if key_is_valid is None else ~key_is_valid, average_attn_weights=False,
        )
        return output.transpose(0, 1), weights
