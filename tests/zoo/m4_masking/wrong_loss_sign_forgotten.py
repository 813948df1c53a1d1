"""The logarithm of a share is negative.
points: masked_cross_entropy 0.5
Class: sign. Fails masked_cross_entropy_values and masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    real = targets != pad_id
    return logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0][real].mean()
