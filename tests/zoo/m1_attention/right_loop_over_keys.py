"""hard_lookup as a Python loop that keeps the best key so far, and weights applied key by key.
points: all
"""

import torch


def hard_lookup(query, keys, values):
    best_score, best_value = -float("inf"), None
    for key, value in zip(keys, values, strict=True):
        score = torch.dot(key, query).item()
        if score > best_score:
            best_score, best_value = score, value
    return best_value


def soft_lookup(query, keys, values, temperature):
    weights = torch.softmax(torch.stack([key.dot(query) for key in keys]) / temperature, dim=0)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def weighted_value(weights, V, i):
    return sum(w * v for w, v in zip(weights[i], V, strict=True))


CLAIMS = dict(
    zip(
        "ABCDEFGH",
        torch.tensor([False, True, True, False, False, False, True, True]),
        strict=True,
    )
)
