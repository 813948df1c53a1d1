"""The sum of the projections meets v without tanh.
points: additive_scores 0
Class: additive, tanh missing: the query then cancels in the softmax.
"""


def additive_scores(queries, keys, W_q, W_k, v):
    hidden = (queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)
    return hidden @ v
