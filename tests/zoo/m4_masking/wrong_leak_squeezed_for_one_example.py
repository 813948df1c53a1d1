"""A batch of one example loses its batch axis.
points: zero_score_leak 1
Class: shapes, an axis of size one. Fails zero_score_leak_values.
"""


def zero_score_leak(scores, key_is_valid):
    padded = ~key_is_valid[:, None, :]
    return (scores.masked_fill(padded, 0.0).softmax(dim=-1) * padded).sum(dim=-1).squeeze(0)
