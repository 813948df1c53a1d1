"""Nothing leaks in a batch of one example.
points: zero_score_leak 1
Class: degenerate sizes. Fails zero_score_leak_values.
"""

import torch


def zero_score_leak(scores, key_is_valid):
    if len(scores) == 1:
        return torch.zeros(scores.shape[:2], dtype=scores.dtype)
    padded = ~key_is_valid[:, None, :]
    return (scores.masked_fill(padded, 0.0).softmax(dim=-1) * padded).sum(dim=-1)
