"""var_q and var_k are taken for standard deviations.
points: score_variance 1
Class: std for variance in the arguments. Fails score_variance_general. score_divisor and score_audit are built on it and stay right.
"""

def score_variance(d_k, var_q=1.0, var_k=1.0):
    return d_k * var_q**2 * var_k**2
