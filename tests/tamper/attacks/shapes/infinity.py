"""Return infinities, and numbers so large that differences overflow.

base: solved
earns: all but additive_scores 0, soft_lookup 0
report: NaN or infinite
"""
# %% answer additive_scores_answer
def additive_scores(queries, keys, W_q, W_k, v):
    return torch.full((*queries.shape[:-1], keys.shape[-2]), float("inf"), dtype=queries.dtype)
# %% answer soft_lookup_answer
def soft_lookup(query, keys, values, temperature):
    return torch.full_like(values[0], torch.finfo(values.dtype).max)
