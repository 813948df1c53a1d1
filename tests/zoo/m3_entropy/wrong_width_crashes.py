"""Every call ends in an error: the axes do not fit.
points: collapse_width 0
Class: error. Fails collapse_width_smallest and collapse_width_draws.
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    for width in sorted(widths):
        queries = torch.randn(n_queries, width, generator=generator)
        keys = torch.randn(n_queries, n_keys, width, generator=generator)
        if entropy(queries @ keys.mT @ queries).mean() < threshold:
            return width
    return None
