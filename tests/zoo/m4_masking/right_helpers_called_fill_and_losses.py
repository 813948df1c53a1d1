"""Helpers with the names that come to mind first: fill and losses.
points: all
"""

import torch


def losses(logits, targets):
    return -torch.log_softmax(logits, dim=-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)


def masked_cross_entropy(logits, targets, pad_id):
    real = targets != pad_id
    if not real.any():
        raise ValueError("no real position")
    return losses(logits, targets)[real].mean()


def fill(scores, allowed):
    return scores.masked_fill(~allowed, 0.0)


def zero_score_leak(scores, key_is_valid):
    allowed = key_is_valid[:, None, :]
    return (fill(scores, allowed).softmax(dim=-1) * ~allowed).sum(dim=-1)
