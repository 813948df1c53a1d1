"""The loss by its formula, with 1e-9 inside the logarithm; the leak as what is left of one.
points: all
"""

import torch


def zero_score_leak(scores, key_is_valid):
    weights = torch.softmax(scores * key_is_valid[:, None, :], dim=-1)
    return 1 - (weights * key_is_valid[:, None, :]).sum(dim=-1)


def masked_cross_entropy(logits, targets, pad_id):
    real = targets != pad_id
    if real.sum() == 0:
        raise ValueError("pad_id is all there is")
    one_hot = torch.nn.functional.one_hot(targets, logits.shape[-1])
    probability = (torch.softmax(logits, dim=-1) * one_hot).sum(dim=-1)
    return -(torch.log(probability + 1e-9) * real).sum() / real.sum()
