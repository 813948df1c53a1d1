"""target_in is target_out.
points: encode_batch 0.5
Fails encode_batch_values.
"""

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
    return Batch(rows, lengths, torch.tensor([[*t, EOS] for t in targets]), torch.tensor([[*t, EOS] for t in targets]))
