"""Every query is drawn, scored and judged alone, which is another order of draws.
points: all
"""

import torch


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    smallest = None
    for d in widths:
        total = 0.0
        for _ in range(n_queries):
            q = torch.randn(d, generator=generator)
            k = torch.randn(n_keys, d, generator=generator)
            log_p = torch.log_softmax(k @ q, dim=0)
            total -= float((log_p.exp() * log_p).sum())
        if total / n_queries < threshold:
            smallest = d if smallest is None else min(smallest, d)
    return smallest
