"""Answer each question with parts of the question itself, of the right shape wherever that can be had.

earns: nothing
report: entries differ
"""
# %% answer additive_scores_answer
def additive_scores(queries, keys, W_q, W_k, v):
    return (queries @ W_q).sum(-1, keepdim=True) + (keys @ W_k).sum(-1).unsqueeze(-2)
# %% answer attention_answer
def attention(Q, K, V, d_k):
    return V, K
# %% answer soft_lookup_answer
def soft_lookup(query, keys, values, temperature):
    return values[0]
# %% answer hard_lookup_answer
def hard_lookup(query, keys, values):
    return values[-1]
