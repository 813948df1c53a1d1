"""The divisor is rounded to a whole number.
points: score_divisor 0
Class: scale, rounded. Fails score_divisor_plain, score_divisor_general. The audit uses it as it is.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0): return round((d_k * var_q * var_k) ** .5)
