"""A temperature set once further up is used, not the argument.
points: soft_lookup 0
Class: globals of the notebook used by accident; the temperature is ignored.
"""

import torch

lookup_temperature = 1.0


def soft_lookup(query, keys, values, temperature):
    weights = torch.softmax(keys @ query / lookup_temperature, dim=0)
    return weights @ values
