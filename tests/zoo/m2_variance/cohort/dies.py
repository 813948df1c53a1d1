"""An answer that ends its process."""

import os


def score_divisor(d_k, var_q=1.0, var_k=1.0):
    os._exit(1)
