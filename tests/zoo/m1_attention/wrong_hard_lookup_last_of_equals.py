"""Of equals the last: the loop replaces on a tie.
points: hard_lookup 1
Class: ties. Fails hard_lookup_ties.
"""

import torch


def hard_lookup(query, keys, values):
    best = 0
    scores = torch.mv(keys, query)
    for j in range(len(scores)):
        if scores[j] >= scores[best]:
            best = j
    return values[best]
