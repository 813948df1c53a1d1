"""Neither function of part B is written.
points: projected_dot_attention 0, calibrated_attention 0
Fails projected_dot_attention_values, calibrated_attention_values.
"""


class ProjectedDotAttention(nn.Module):
    pass


def calibrated_attention(Q, K, V, key_is_valid, var_q, var_k):
    raise NotImplementedError()
