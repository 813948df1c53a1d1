"""A plain number, which nothing can be learned from.
points: masked_cross_entropy 1.5
Class: gradients. Fails masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id).item()
