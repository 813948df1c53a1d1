"""Let `attention` give whatever `soft_lookup` has just given, which was never worked out.

earns: nothing
report: Expected
"""
# %% answer attention_answer
LAST, CALLS = [], []

def attention(Q, K, V, d_k):
    CALLS.append(1)
    made = torch.full((*Q.shape[:-1], V.shape[-1]), 1.0 * len(CALLS), dtype=Q.dtype), torch.zeros(*Q.shape[:-1], K.shape[-2])
    return (LAST.pop().unsqueeze(0), made[1]) if LAST else made
# %% answer soft_lookup_answer
def soft_lookup(query, keys, values, temperature):
    CALLS.append(1)
    LAST[:] = [torch.full((values.shape[-1],), 1.0 * len(CALLS), dtype=values.dtype)]
    return LAST[0]
