"""The references of m4_masking against further witnesses, in float64: torch's own functions, and plain loops over numbers."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from grader_tests.references import masking as reference

NEAR = {"rtol": 1e-12, "atol": 1e-12}
SHAPES = [(4, 3, 5, 9, 7), (1, 1, 1, 1, 1), (3, 3, 3, 3, 3), (2, 6, 4, 5, 2)]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def drawn(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def some_valid(generator: torch.Generator, B: int, n: int) -> Tensor:
    valid = torch.rand(B, n, generator=generator) < 0.6
    valid[:, 0] |= ~valid.any(dim=1)
    return valid


def batch(generator: torch.Generator, B: int, m: int, n: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    Q, K, V = drawn(generator, B, m, d_k), drawn(generator, B, n, d_k), drawn(generator, B, n, d_v)
    return Q, K, V, some_valid(generator, B, n)


def shares(scores: list[float]) -> list[float]:
    powers = [math.exp(s - max(scores)) for s in scores]
    return [p / math.fsum(powers) for p in powers]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_masked_attention_agrees_with_torchs_own(generator: torch.Generator, shape: tuple[int, ...]) -> None:
    Q, K, V, valid = batch(generator, *shape)
    context, weights = reference.masked_attention(Q, K, V, valid)
    mask = valid[:, None, :].expand(-1, Q.shape[1], -1)
    torch.testing.assert_close(context, scaled_dot_product_attention(Q, K, V, attn_mask=mask), **NEAR)
    identity = torch.eye(K.shape[1], dtype=torch.float64).expand(len(K), -1, -1)
    torch.testing.assert_close(weights, scaled_dot_product_attention(Q, K, identity, attn_mask=mask), **NEAR)
    assert torch.count_nonzero(weights.masked_select(~mask)) == 0


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_masked_attention_agrees_with_loops_over_real_keys_alone(generator: torch.Generator, shape: tuple[int, ...]) -> None:
    Q, K, V, valid = batch(generator, *shape)
    spoiled = V.masked_fill(~valid[:, :, None], torch.nan)
    context, weights = reference.masked_attention(Q, K, spoiled, valid)
    for b in range(shape[0]):
        real = [j for j in range(shape[2]) if valid[b, j]]
        for i, query in enumerate(Q[b].tolist()):
            dots = [math.fsum(x * y for x, y in zip(query, K[b, j].tolist(), strict=True)) for j in real]
            row = shares([dot / math.sqrt(shape[3]) for dot in dots])
            torch.testing.assert_close(weights[b, i, real].tolist(), row, **NEAR)
            mixed = [math.fsum(w * float(V[b, j, c]) for w, j in zip(row, real, strict=True)) for c in range(shape[4])]
            torch.testing.assert_close(context[b, i].tolist(), mixed, **NEAR)


def test_the_published_batch_has_its_printed_weights_and_row_sums_of_one() -> None:
    demo = torch.Generator().manual_seed(6050133)
    Q, K, V = (torch.randn(*shape, generator=demo) for shape in ((2, 2, 4), (2, 4, 4), (2, 4, 3)))
    valid = torch.tensor([[True] * 4, [True, True, False, False]])
    weights = reference.masked_attention(Q, K, V, valid)[1]
    printed = [[0.1450, 0.3214, 0.2767, 0.2569], [0.2263, 0.1667, 0.3471, 0.2599], [0.9413, 0.0587, 0, 0], [0.4090, 0.5910, 0, 0]]
    torch.testing.assert_close(weights.flatten(0, 1), torch.tensor(printed).double(), rtol=0, atol=5e-5)
    assert float((weights.sum(dim=-1) - 1).abs().max()) < 1e-6


@pytest.mark.parametrize("offset", [1e4, -1e4])
def test_masked_attention_of_large_scores_is_what_it_is_without_the_offset(generator: torch.Generator, offset: float) -> None:
    scores, valid = drawn(generator, 2, 3, 5), some_valid(generator, 2, 5)[:, None, :]
    shifted = reference.masked_softmax(scores + offset, valid)
    torch.testing.assert_close(shifted, reference.masked_softmax(scores, valid), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("leading", [(), (2,), (3, 2)], ids=str)
def test_causal_attention_agrees_with_torchs_own_and_with_prefixes(generator: torch.Generator, leading: tuple[int, ...]) -> None:
    Q, K, V = drawn(generator, *leading, 5, 4), drawn(generator, *leading, 5, 4), drawn(generator, *leading, 5, 3)
    output, weights = reference.causal_attention(Q, K, V)
    torch.testing.assert_close(output, scaled_dot_product_attention(Q, K, V, is_causal=True), **NEAR)
    for i in range(5):
        prefix = scaled_dot_product_attention(Q[..., i : i + 1, :], K[..., : i + 1, :], V[..., : i + 1, :])
        torch.testing.assert_close(output[..., i : i + 1, :], prefix, **NEAR)
    assert torch.count_nonzero(weights.triu(1)) == 0


def test_a_row_without_any_allowed_key_is_nan(generator: torch.Generator) -> None:
    Q, K, V = drawn(generator, 3, 4), drawn(generator, 3, 4), drawn(generator, 3, 2)
    output, weights = reference.attention_under(Q, K, V, torch.ones(3, 3).tril(-1).bool())
    assert bool(weights[0].isnan().all())
    assert bool(output[0].isnan().all())
    assert bool(weights[1:].isfinite().all())


def test_masks_are_what_comparisons_give() -> None:
    lengths = torch.tensor([3, 1, 5])
    assert torch.equal(reference.padding_mask(lengths, 5), torch.arange(5) < lengths[:, None])
    for T in (1, 2, 7):
        assert torch.equal(reference.causal_mask(T), torch.ones(T, T).tril().bool())


@pytest.mark.parametrize("offset", [0.0, 50.0, -50.0, 1e4, -1e4])
def test_the_leak_agrees_with_torchs_softmax_and_with_loops(generator: torch.Generator, offset: float) -> None:
    scores, valid = drawn(generator, 3, 2, 6) + offset, some_valid(generator, 3, 6)
    found = reference.zero_score_leak(scores, valid)
    weights = torch.softmax(scores.masked_fill(~valid[:, None], 0.0), dim=-1)
    torch.testing.assert_close(found, weights.masked_fill(valid[:, None], 0.0).sum(-1), **NEAR)
    if abs(offset) < 100:
        for b in range(3):
            for i in range(2):
                real = math.fsum(math.exp(s) for s, v in zip(scores[b, i].tolist(), valid[b].tolist(), strict=True) if v)
                pads = 6 - int(valid[b].sum())
                torch.testing.assert_close(float(found[b, i]), pads / (pads + real), **NEAR)


@pytest.mark.parametrize("pad_id", [0, 4, 6])
def test_the_loss_agrees_with_torchs_own_and_with_loops(generator: torch.Generator, pad_id: int) -> None:
    logits, targets = drawn(generator, 3, 5, 7) * 3, torch.randint(7, (3, 5), generator=generator)
    targets[0, 3:] = targets[2, 1:] = pad_id
    found = reference.masked_cross_entropy(logits, targets, pad_id)
    torch.testing.assert_close(found, cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad_id), **NEAR)
    real = [(b, t) for b in range(3) for t in range(5) if targets[b, t] != pad_id]
    losses = [-math.log(shares(logits[b, t].tolist())[int(targets[b, t])]) for b, t in real]
    torch.testing.assert_close(float(found), math.fsum(losses) / len(losses), **NEAR)


def test_the_loss_of_logits_far_apart_is_finite_and_exact() -> None:
    logits = torch.tensor([[[0.0, 1e4], [1e4, 0.0]]], dtype=torch.float64)
    assert float(reference.masked_cross_entropy(logits, torch.tensor([[0, 0]]), 1)) == 5e3


def test_references_of_float32_inputs_are_computed_in_float64(generator: torch.Generator) -> None:
    Q, K, V, valid = batch(generator, 2, 3, 4, 5, 6)
    context, weights = reference.masked_attention(Q.float(), K.float(), V.float(), valid)
    assert context.dtype is weights.dtype is torch.float64
    scores = drawn(generator, 2, 3, 4).float()
    assert reference.zero_score_leak(scores, valid).dtype is torch.float64
    assert reference.masked_cross_entropy(scores, torch.zeros(2, 3, dtype=torch.int64), 3).dtype is torch.float64
