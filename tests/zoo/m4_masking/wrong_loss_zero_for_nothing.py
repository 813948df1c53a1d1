"""Zero where no position is real.
points: masked_cross_entropy 1.5
Class: guard missing. Fails masked_cross_entropy_error.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    real = targets != pad_id
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return (losses * real).sum() / real.sum().clamp(min=1)
