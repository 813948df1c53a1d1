"""The best score so far starts at zero, so that negative dot products never win.
points: hard_lookup 0
Class: negative dot products. Fails hard_lookup_values, and hard_lookup_ties where all its dot products are negative.
"""


def hard_lookup(query, keys, values):
    best_score, best = 0.0, 0
    for j, key in enumerate(keys):
        score = float(key @ query)
        if score > best_score:
            best_score, best = score, j
    return values[best]
