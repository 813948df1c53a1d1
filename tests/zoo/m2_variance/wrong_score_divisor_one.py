"""No scale at all.
points: score_divisor 0, score_audit 1
Class: scale, none. Fails score_divisor_plain, score_divisor_general.
"""

def score_divisor(d_k, var_q=1.0, var_k=1.0):
    return 1.0
