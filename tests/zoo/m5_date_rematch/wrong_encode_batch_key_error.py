"""An unknown character is a KeyError.
points: encode_batch 0.5
Fails encode_batch_errors.
"""

def encode_batch(pairs, source_ids, target_ids):
    lengths = torch.tensor([len(source) for source, _ in pairs])
    rows = torch.full((len(pairs), int(lengths.max())), PAD)
    for i, (source, _) in enumerate(pairs):
        rows[i, : len(source)] = torch.tensor([source_ids[c] for c in source])
    targets = [[target_ids[c] for c in target] for _, target in pairs]
    return Batch(rows, lengths, torch.tensor([[BOS, *t] for t in targets]), torch.tensor([[*t, EOS] for t in targets]))
