"""A list for the tuple, tensors without axes for floats, a tensor for the width.
points: all
"""

import torch


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)
    k = torch.randn(n_keys, d_k, generator=generator)
    scores = torch.stack([(q @ k.T)[0], (q @ k.T)[0] / torch.sqrt(torch.tensor(d_k))])
    return [*scores.std(dim=1), *entropy(scores)]


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    means = []
    for d in widths:
        q, k = torch.randn(n_queries, d, generator=generator), torch.randn(n_queries, n_keys, d, generator=generator)
        means.append(entropy((q.unsqueeze(1) * k).sum(-1)).mean())
    below = torch.tensor(list(widths))[torch.stack(means) < threshold]
    return below.min() if below.numel() else None
