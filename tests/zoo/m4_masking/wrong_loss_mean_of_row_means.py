"""Every sentence counts the same.
points: masked_cross_entropy 0.5
Class: mean of row means. Fails masked_cross_entropy_values and masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    losses = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id, reduction="none")
    return (losses.sum(1) / (targets != pad_id).sum(1)).mean()
