"""A loop that never ends."""


def hard_lookup(query, keys, values):
    best = 0
    while best < len(keys):
        if keys[best] @ query < 0:
            best += 1
        best = 0
    return values[best]
