"""The whole root of the width.
points: score_divisor 0
Class: scale, rounded. Fails score_divisor_plain, score_divisor_general. The audit uses it as it is.
"""

import math


def score_divisor(d_k, var_q=1.0, var_k=1.0): return math.isqrt(d_k) * math.sqrt(var_q * var_k)
