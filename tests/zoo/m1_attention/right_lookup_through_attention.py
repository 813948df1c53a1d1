"""soft_lookup is attention for one query, scaled so that the divisor becomes the temperature.
points: all
"""

import math

import numpy as np


def soft_lookup(query, keys, values, temperature):
    width = keys.shape[-1]
    scaled_query = query * (math.sqrt(width) / temperature)
    output, _ = attention(scaled_query.unsqueeze(0), keys, values, width)
    return output.squeeze(0)


def hard_lookup(query, keys, values):
    scores = keys @ query
    return values[(scores == scores.max()).nonzero()[0, 0]]


CLAIMS = {
    label: np.bool_(answer)
    for label, answer in zip("ABCDEFGH", [False, True, True, False, False, False, True, True], strict=True)
}
