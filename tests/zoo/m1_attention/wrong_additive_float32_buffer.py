"""The scores are written into a buffer made by torch.zeros, which is float32.
points: additive_scores 0
Class: float64 cut to float32, and two axes only. Fails values (float64), batches and dtype.
"""

import torch


def additive_scores(queries, keys, W_q, W_k, v):
    scores = torch.zeros(len(queries), len(keys))
    for i, query in enumerate(queries):
        for j, key in enumerate(keys):
            scores[i, j] = torch.tanh(query @ W_q + key @ W_k) @ v
    return scores
