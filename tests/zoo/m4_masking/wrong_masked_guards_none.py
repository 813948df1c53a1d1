"""Right, and refuses nothing.
points: masked_attention 5
Class: guards missing. Fails masked_attention_guards_inputs, masked_attention_guards_mask, masked_attention_guards_no_key and masked_attention_guards_told_apart.
"""

import math

import torch


def masked_attention(queries, keys, values, key_is_valid):
    scores = queries @ keys.mT / math.sqrt(keys.shape[-1])
    weights = torch.softmax(scores.masked_fill(~key_is_valid[:, None, :], -math.inf), dim=-1)
    return weights @ values.masked_fill(~key_is_valid[:, :, None], 0.0), weights
