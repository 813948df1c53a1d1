"""Only the width enters.
points: score_variance 1
Class: arguments ignored. Fails score_variance_general.
"""

def score_variance(d_k, var_q=1.0, var_k=1.0):
    return float(d_k)


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return (d_k * var_q * var_k) ** 0.5
