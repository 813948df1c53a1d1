"""The nearest key by distance.
points: hard_lookup 0
Class: another score. A long key far away may have the larger dot product.
"""

import torch


def hard_lookup(query, keys, values):
    return values[torch.linalg.norm(keys - query, dim=-1).argmin()]
