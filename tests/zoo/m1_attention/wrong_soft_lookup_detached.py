"""Everything right, under no_grad.
points: soft_lookup 1
Class: gradients. Fails soft_lookup_limits: no gradient reaches the query, the keys or the values.
"""

import torch


def soft_lookup(query, keys, values, temperature):
    with torch.no_grad():
        scores = keys @ query
        return torch.softmax((scores - scores.max()) / temperature, dim=0) @ values
