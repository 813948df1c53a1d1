"""view, for logits that lie in memory as they should.
points: masked_cross_entropy 1.5
Class: non-contiguous tensors. Fails masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1), ignore_index=pad_id)
