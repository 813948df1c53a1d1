"""In a batch of one example the padded positions count.
points: masked_cross_entropy 1
Class: degenerate sizes. Fails masked_cross_entropy_values.
"""

import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    real = targets != pad_id
    if not real.any():
        raise ValueError("no position is real")
    if len(logits) == 1:
        return F.cross_entropy(logits[0], targets[0])
    return F.cross_entropy(logits[real], targets[real])
