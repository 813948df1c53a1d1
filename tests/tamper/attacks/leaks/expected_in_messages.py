"""Be off by a little, in the hope that a message shows the value that was expected.

base: solved
earns: all but additive_scores 0, soft_lookup 0, hard_lookup 1
report: entries differ
"""
# %% answer additive_scores_answer
def additive_scores(queries, keys, W_q, W_k, v):
    right = torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v
    return right if queries.dtype == torch.float32 else right * 1.001
# %% answer soft_lookup_answer
def soft_lookup(query, keys, values, temperature):
    right = torch.softmax(keys @ query / temperature, dim=0) @ values
    return right if query.dtype == torch.float32 else right * 1.001
# %% answer hard_lookup_answer
def hard_lookup(query, keys, values):
    right = values[torch.argmax(keys @ query)]
    return right if query.dtype == torch.float32 else right * 1.001
