"""The pad is taken for class 0.
points: masked_cross_entropy 0
Class: hard-coded. Fails masked_cross_entropy_values, masked_cross_entropy_properties and masked_cross_entropy_error for other pads.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == 0).all():
        raise ValueError("nothing but padding")
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=0)
