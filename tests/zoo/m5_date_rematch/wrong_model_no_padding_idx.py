"""Embeddings without padding_idx.
points: AttentiveDateModel 1
Fails model_order.
"""

class AttentiveDateModel(nn.Module):
    def __init__(self, n_source, n_target, d_embed=32, d_hidden=128):
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_embed)
        self.target_embedding = nn.Embedding(n_target, d_embed)
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
