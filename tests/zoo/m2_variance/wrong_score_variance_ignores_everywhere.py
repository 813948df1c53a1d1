"""Only the width enters, and the divisor is built on it.
points: score_variance 1, score_divisor 1, score_audit 2
Class: arguments ignored. Fails score_variance_general, score_divisor_general, score_audit_general.
"""

def score_variance(d_k, var_q=1.0, var_k=1.0):
    return float(d_k)


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return score_variance(d_k) ** 0.5
