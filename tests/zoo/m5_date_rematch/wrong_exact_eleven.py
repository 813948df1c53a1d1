"""The eleventh token is compared too.
points: exact_match 0.5
Fails exact_match_values.
"""

def exact_match(model, batch):
    before = model.training
    model.eval()
    with torch.no_grad():
        tokens, _ = model.greedy_decode(batch.source, batch.lengths)
    model.train(before)
    return (tokens[:, :11] == batch.target_out[:, :11]).all(dim=1).float().mean().item()
