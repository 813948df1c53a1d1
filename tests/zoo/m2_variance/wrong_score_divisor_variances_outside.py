"""The variances outside of the root.
points: score_divisor 1
Class: scale, root of one factor. Fails score_divisor_general. The audit uses it as it is.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return d_k**0.5 * var_q * var_k
