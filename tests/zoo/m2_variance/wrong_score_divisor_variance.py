"""The variance itself.
points: score_divisor 0
Class: scale, d_k without the root. Fails score_divisor_plain, score_divisor_general. The audit divides by it as it says.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return d_k * var_q * var_k
