"""One over the divisor.
points: score_divisor 0
Class: scale, multiplied. Fails score_divisor_plain, score_divisor_general. The audit uses it as it is.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return (d_k * var_q * var_k) ** -0.5
