"""Each row is cut at its first pad.
points: masked_cross_entropy 1.5
Class: padding only at the end. Fails masked_cross_entropy_properties (padding between real positions).
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    real = (targets != pad_id).cumprod(dim=1).bool()
    return F.cross_entropy(logits[real], targets[real])
