"""Every example by itself, without any packing; softmax by hand, zeroed and divided again.
points: all
"""

class AdditiveAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, query, keys, key_is_valid):
        contexts, rows = [], []
        for q, k, valid in zip(query, keys, key_is_valid):
            scores = torch.stack([self.v(torch.tanh(self.W_k(key) + self.W_q(q)))[0] for key in k])
            exps = torch.exp(scores - scores[valid].max()) * valid
            row = exps / exps.sum()
            rows.append(row)
            contexts.append(row @ k)
        return torch.stack(contexts), torch.stack(rows)


class AttentiveDateModel(nn.Module):
    def __init__(self, n_source, n_target, d_embed=32, d_hidden=128):
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_embed, padding_idx=PAD)
        self.target_embedding = nn.Embedding(n_target, d_embed, padding_idx=PAD)
        self.encoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.attention = AdditiveAttention(d_hidden, d_hidden, d_hidden)
        self.decoder = nn.LSTMCell(d_embed + d_hidden, d_hidden)
        self.output = nn.Linear(2 * d_hidden, n_target)

    def encode(self, source, lengths):
        memory = torch.zeros(source.shape[0], source.shape[1], self.encoder.hidden_size)
        hs, cs = [], []
        for i, length in enumerate(lengths.tolist()):
            outputs, (h, c) = self.encoder(self.source_embedding(source[i : i + 1, :length]))
            memory[i, :length] = outputs[0]
            hs.append(h[0, 0])
            cs.append(c[0, 0])
        valid = torch.zeros(source.shape, dtype=torch.bool)
        for i, length in enumerate(lengths.tolist()):
            valid[i, :length] = True
        return memory, valid, (torch.stack(hs), torch.stack(cs))

    def decode_step(self, previous, memory, key_is_valid, state):
        h, c = state
        context, weights = self.attention(h, memory, key_is_valid)
        h, c = self.decoder(torch.cat([self.target_embedding(previous), context], dim=1), (h, c))
        logits = self.output(torch.cat([h, context], dim=1))
        return logits, weights, (h, c)

    def forward(self, source, lengths, target_in):
        memory, key_is_valid, state = self.encode(source, lengths)
        all_logits = []
        for t in range(target_in.shape[1]):
            logits, _, state = self.decode_step(target_in[:, t], memory, key_is_valid, state)
            all_logits.append(logits)
        return torch.stack(all_logits, dim=1)

    @torch.no_grad()
    def greedy_decode(self, source, lengths, max_len=11):
        memory, key_is_valid, state = self.encode(source, lengths)
        previous = torch.full((source.shape[0],), BOS)
        tokens, rows = [], []
        for _ in range(max_len):
            logits, weights, state = self.decode_step(previous, memory, key_is_valid, state)
            previous = logits.argmax(dim=1)
            tokens.append(previous)
            rows.append(weights)
        return torch.stack(tokens, dim=1), torch.stack(rows, dim=1)


def exact_match(model, batch):
    training = model.training
    model.eval()
    right = 0
    for i in range(len(batch.lengths)):
        n = int(batch.lengths[i])
        tokens, _ = model.greedy_decode(batch.source[i : i + 1, :n], batch.lengths[i : i + 1])
        right += tokens[0].tolist()[:10] == batch.target_out[i].tolist()[:10]
    model.train(training)
    return right / len(batch.lengths)
