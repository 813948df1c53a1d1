"""Zero weights are left out of a single row, not of a batch: NaN for one-hot rows of a table.
points: entropy 3
Class: only looks right for one row. Fails entropy_extremes.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, -1)
    if logits.ndim == 1:
        p = p[p > 0]
    return -(p * p.log()).sum(-1)
