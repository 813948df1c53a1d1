"""Evaluates with the true characters at hand.
points: exact_match 0.5
Fails exact_match_values.
"""

def exact_match(model, batch):
    before = model.training
    model.eval()
    with torch.no_grad():
        tokens = model(batch.source, batch.lengths, batch.target_in).argmax(2)
    model.train(before)
    return (tokens[:, :10] == batch.target_out[:, :10]).all(dim=1).float().mean().item()
