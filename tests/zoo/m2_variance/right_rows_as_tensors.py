"""The rows are tensors of three numbers.
points: all
"""

import torch


def variance_table(widths, n, generator):
    out = []
    for d in widths:
        x = dot_products(n, d, generator)
        out.append(torch.tensor([d, x.var(), x.std()]))
    return out
