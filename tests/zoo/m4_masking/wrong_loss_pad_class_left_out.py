"""The pad's own logit is taken out of the softmax.
points: masked_cross_entropy 0.5
Class: too much masked. Fails masked_cross_entropy_values and masked_cross_entropy_properties.
"""

import torch
import torch.nn.functional as F


def masked_cross_entropy(logits, targets, pad_id):
    if (targets == pad_id).all():
        raise ValueError("nothing but padding")
    keep = torch.arange(logits.shape[-1]) != pad_id
    log_shares = logits.masked_fill(~keep, -1e9).log_softmax(-1)
    real = targets != pad_id
    return F.nll_loss(log_shares[real], targets[real])
