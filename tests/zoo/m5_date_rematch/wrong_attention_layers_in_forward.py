"""New layers at every call.
points: AdditiveAttention 1.5
Fails attention_parameters.
"""

class AdditiveAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.d_a = d_a

    def forward(self, query, keys, key_is_valid):
        W_k, W_q, v = nn.Linear(keys.shape[2], self.d_a), nn.Linear(query.shape[1], self.d_a), nn.Linear(self.d_a, 1)
        scores = v(torch.tanh(W_k(keys) + W_q(query)[:, None])).squeeze(2)
        weights = scores.masked_fill(~key_is_valid, float("-inf")).softmax(dim=1)
        return torch.bmm(weights[:, None], keys)[:, 0], weights
