"""d_k squared.
points: score_variance 0
Class: d_k squared. Fails score_variance_plain, score_variance_general. score_divisor and score_audit are built on it and stay right.
"""

def score_variance(d_k, var_q=1.0, var_k=1.0):
    return float(d_k**2 * var_q * var_k)
