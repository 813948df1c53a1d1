"""The root of the width alone.
points: score_divisor 1, score_audit 2
Class: scale, the variances left out. Fails score_divisor_general, score_audit_general, for this divisor ignores its arguments.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return d_k**0.5
