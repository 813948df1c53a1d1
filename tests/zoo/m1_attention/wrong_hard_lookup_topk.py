"""topk, which promises nothing about equals.
points: hard_lookup 1
Class: ties. torch 2.13 gives another than the first from four keys on, often and not always.
affair.
"""

import torch


def hard_lookup(query, keys, values):
    best = torch.topk(keys @ query, k=1).indices
    return values[best].squeeze(0)
