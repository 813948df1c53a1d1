"""reshape where a transpose was meant: (B, T, V) read as (B, V, T).
points: masked_cross_entropy 0.5
Class: view that scrambles axes. Fails masked_cross_entropy_values and masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad_id)
