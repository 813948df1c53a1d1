"""Everything, in the most usual style.
points: all
"""

def is_unambiguous(source):
    parts = source.split("/")
    return len(parts) == 1 or int(parts[0]) > 12 or int(parts[1]) > 12


def encode_batch(pairs, source_ids, target_ids):
    for source, target in pairs:
        for character in source:
            if character not in source_ids:
                raise ValueError(f"unknown character {character!r} in a source")
        for character in target:
            if character not in target_ids:
                raise ValueError(f"unknown character {character!r} in a target")
    lengths = torch.tensor([len(source) for source, _ in pairs])
    rows = torch.full((len(pairs), int(lengths.max())), PAD)
    for i, (source, _) in enumerate(pairs):
        rows[i, : len(source)] = torch.tensor([source_ids[c] for c in source])
    targets = [[target_ids[c] for c in target] for _, target in pairs]
    return Batch(rows, lengths, torch.tensor([[BOS, *t] for t in targets]), torch.tensor([[*t, EOS] for t in targets]))


class AdditiveAttention(nn.Module):
    def __init__(self, d_q, d_k, d_a):
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, query, keys, key_is_valid):
        scores = self.v(torch.tanh(self.W_k(keys) + self.W_q(query)[:, None])).squeeze(2)
        weights = scores.masked_fill(~key_is_valid, float("-inf")).softmax(dim=1)
        return torch.bmm(weights[:, None], keys)[:, 0], weights


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


def train_epoch(model, optimizer, batch, generator, batch_size=128, clip=5.0):
    model.train()
    total, batches = 0.0, 0
    order = torch.randperm(len(batch.source), generator=generator)
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        logits = model(batch.source[rows], batch.lengths[rows], batch.target_in[rows])
        loss = nn.functional.cross_entropy(logits.reshape(-1, logits.shape[2]), batch.target_out[rows].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
        batches += 1
    return total / batches


def exact_match(model, batch):
    before = model.training
    model.eval()
    with torch.no_grad():
        tokens, _ = model.greedy_decode(batch.source, batch.lengths)
    model.train(before)
    return (tokens[:, :10] == batch.target_out[:, :10]).all(dim=1).float().mean().item()


def year_region_mass(weights, lengths):
    total = 0.0
    for row, length in zip(weights, lengths.tolist()):
        total += row[:4, length - 4 : length].sum().item() / 4
    return total / len(lengths)
