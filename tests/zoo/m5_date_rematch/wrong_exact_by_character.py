"""The share of characters.
points: exact_match 0.5
Fails exact_match_values.
"""

def exact_match(model, batch):
    before = model.training
    model.eval()
    with torch.no_grad():
        tokens, _ = model.greedy_decode(batch.source, batch.lengths)
    model.train(before)
    return (tokens[:, :10] == batch.target_out[:, :10]).float().mean().item()
