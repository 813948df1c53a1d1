"""Leaves the model in evaluation mode.
points: exact_match 0.5
Fails exact_match_mode.
"""

def exact_match(model, batch):
    before = model.training
    model.eval()
    with torch.no_grad():
        tokens, _ = model.greedy_decode(batch.source, batch.lengths)
    return (tokens[:, :10] == batch.target_out[:, :10]).all(dim=1).float().mean().item()
