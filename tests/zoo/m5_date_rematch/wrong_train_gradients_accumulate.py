"""Gradients are cleared once, before the first batch.
points: train_epoch 1.5
Fails train_steps.
"""

def train_epoch(model, optimizer, batch, generator, batch_size=128, clip=5.0):
    model.train()
    optimizer.zero_grad()
    total, batches = 0.0, 0
    order = torch.randperm(len(batch.source), generator=generator)
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        logits = model(batch.source[rows], batch.lengths[rows], batch.target_in[rows])
        loss = nn.functional.cross_entropy(logits.reshape(-1, logits.shape[2]), batch.target_out[rows].reshape(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
        batches += 1
    return total / batches
