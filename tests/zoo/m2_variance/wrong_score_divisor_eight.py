"""Eight, whatever the width.
points: score_divisor 0, score_audit 1
Class: scale, hard-coded. Fails score_divisor_plain, score_divisor_general, score_audit_scaled_variance, score_audit_scaled_weights, score_audit_general.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return 8.0
