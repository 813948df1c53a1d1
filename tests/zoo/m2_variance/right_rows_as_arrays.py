"""The rows are numpy arrays of three numbers.
points: all
"""

import numpy as np


def variance_table(widths, n, generator):
    samples = [dot_products(n, d, generator).double().numpy() for d in widths]
    return [np.array([d, x.var(ddof=1), x.std(ddof=1)]) for d, x in zip(widths, samples)]
