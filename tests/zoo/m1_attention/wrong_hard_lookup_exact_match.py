"""A dictionary's lookup: zeros unless a key equals the query.
points: hard_lookup 0
Class: a belief of the CLAIMS (F).
"""

import torch


def hard_lookup(query, keys, values):
    for key, value in zip(keys, values, strict=True):
        if torch.equal(key, query):
            return value
    return torch.zeros_like(values[0])
