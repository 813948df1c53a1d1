"""Pads are renamed in the caller's own targets.
points: masked_cross_entropy 1.5
Class: an argument changed in place. Fails masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    targets[targets == pad_id] = -100
    return F.cross_entropy(logits.transpose(1, 2), targets)
