"""log_softmax before the cross entropy: harmless, and right; but over the positions.
points: masked_cross_entropy 0.5
Class: softmax on the wrong axis. Fails masked_cross_entropy_values and masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    shares = logits.log_softmax(1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return -shares[targets != pad_id].mean()
