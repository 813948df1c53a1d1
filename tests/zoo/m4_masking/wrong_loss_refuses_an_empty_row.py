"""One row of nothing but padding is refused, though others are real.
points: masked_cross_entropy 1
Class: a guard that is too strict. Fails masked_cross_entropy_properties and masked_cross_entropy_error.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all(dim=1).any():
        raise ValueError("a sentence without words")
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id)
