"""The standard deviation.
points: score_variance 0
Class: std for variance. Fails score_variance_plain, score_variance_general. score_divisor and score_audit are built on it and stay right.
"""

def score_variance(d_k, var_q=1.0, var_k=1.0):
    return (d_k * var_q * var_k) ** 0.5
