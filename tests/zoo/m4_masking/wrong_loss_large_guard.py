"""A guard of 1e-3 inside the logarithm.
points: masked_cross_entropy 0.5
Class: eps so big that it shows. Fails masked_cross_entropy_values and masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    chosen = torch.softmax(logits, dim=-1).gather(-1, targets[..., None])[..., 0]
    return -torch.log(chosen[targets != pad_id] + 1e-3).mean()
