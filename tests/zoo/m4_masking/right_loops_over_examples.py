"""Loops: every example picks out its real keys and attends to these alone, query by query.
points: all
"""

import math

import torch


def padding_mask(lengths, max_len):
    rows = []
    for length in lengths.tolist():
        if not 1 <= length <= max_len:
            raise ValueError(f"a length of {length} does not fit into {max_len} positions")
        rows.append([True] * length + [False] * (max_len - length))
    return torch.tensor(rows)


def causal_mask(T):
    mask = torch.zeros(T, T).bool()
    for i in range(T):
        mask[i, : i + 1] = True
    return mask


def masked_attention(queries, keys, values, key_is_valid):
    if queries.dim() != 3 or keys.dim() != 3 or values.dim() != 3:
        raise ValueError("queries, keys and values must have three axes")
    if queries.size(-1) != keys.size(-1):
        raise ValueError("queries and keys must have the same width")
    if keys.shape[:2] != values.shape[:2]:
        raise ValueError("there must be one value for each key")
    if key_is_valid.shape != keys.shape[:2] or key_is_valid.dtype != torch.bool:
        raise ValueError("key_is_valid must be a bool tensor of shape (B, n)")
    if not key_is_valid.any(dim=1).all():
        raise ValueError("every example needs a valid key")
    contexts, rows = [], []
    for q, k, v, valid in zip(queries, keys, values, key_is_valid):
        some = torch.softmax(q @ k[valid].T / math.sqrt(k.shape[-1]), dim=-1)
        weights = torch.zeros(len(q), len(k), dtype=q.dtype)
        weights[:, valid] = some
        contexts.append(some @ v[valid])
        rows.append(weights)
    return torch.stack(contexts), torch.stack(rows)


def causal_attention(Q, K, V):
    outputs, rows = [], []
    T = Q.shape[-2]
    for i in range(T):
        q, k, v = Q[..., i : i + 1, :], K[..., : i + 1, :], V[..., : i + 1, :]
        seen = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(K.shape[-1]), dim=-1)
        outputs.append(seen @ v)
        rows.append(torch.nn.functional.pad(seen, (0, T - i - 1)))
    return torch.cat(outputs, dim=-2), torch.cat(rows, dim=-2)


def zero_score_leak(scores, key_is_valid):
    leaks = []
    for table, valid in zip(scores, key_is_valid):
        table = table.clone()
        table[:, ~valid] = 0
        leaks.append(torch.softmax(table, dim=1)[:, ~valid].sum(dim=1))
    return torch.stack(leaks)


def masked_cross_entropy(logits, targets, pad_id):
    losses = []
    for table, row in zip(logits, targets):
        kept = row != pad_id
        losses.append(torch.nn.functional.cross_entropy(table[kept], row[kept], reduction="sum"))
    count = (targets != pad_id).sum()
    if count == 0:
        raise ValueError("there is no real position in this batch")
    return torch.stack(losses).sum() / count
