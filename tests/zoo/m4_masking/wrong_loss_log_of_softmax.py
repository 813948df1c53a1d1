"""The logarithm of a softmax, in two steps.
points: masked_cross_entropy 1.5
Class: overflow. Fails masked_cross_entropy_properties (logits far apart).
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    chosen = torch.log(torch.softmax(logits, dim=-1)).gather(-1, targets[..., None])[..., 0]
    return -chosen[targets != pad_id].mean()
