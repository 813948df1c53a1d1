"""The variance after scaling.
points: score_variance 0
Class: one for d_k. Fails score_variance_plain, score_variance_general.
"""

def score_variance(d_k, var_q=1.0, var_k=1.0):
    return 1.0


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return (d_k * var_q * var_k) ** 0.5
