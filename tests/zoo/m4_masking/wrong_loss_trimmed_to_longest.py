"""The batch is cut to its largest number of real positions, as if padding came last.
points: masked_cross_entropy 1.5
Class: padding at the end only. Fails masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F
def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all(): raise ValueError("x")
    n = int((targets != pad_id).sum(1).max())
    return F.cross_entropy(logits[:, :n].transpose(1, 2), targets[:, :n], ignore_index=pad_id)
