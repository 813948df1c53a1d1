"""A loop that never ends."""


def score_variance(d_k, var_q=1.0, var_k=1.0):
    total = 0.0
    while total != d_k * var_q * var_k + 0.5:
        total += 1.0
    return total
