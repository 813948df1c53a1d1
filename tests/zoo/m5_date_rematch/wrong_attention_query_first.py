"""W_q is built before W_k.
points: AdditiveAttention 3.5
Fails attention_order.
"""

class AdditiveAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, query, keys, key_is_valid):
        scores = self.v(torch.tanh(self.W_k(keys) + self.W_q(query)[:, None])).squeeze(2)
        weights = scores.masked_fill(~key_is_valid, float("-inf")).softmax(dim=1)
        return torch.bmm(weights[:, None], keys)[:, 0], weights
