"""The references of the checks against two further witnesses, in float64: torch's own attention, and plain loops over numbers."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from grader_tests.references import attention as reference

SHAPES = [((), 3, 5, 4, 7), ((), 1, 1, 1, 1), ((), 4, 4, 4, 4), ((2,), 3, 5, 9, 2), ((3, 2), 2, 6, 5, 3)]
NEAR = {"rtol": 1e-12, "atol": 1e-12}


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def drawn(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def inputs(
    generator: torch.Generator, leading: tuple[int, ...], T_q: int, T_k: int, d_k: int, d_v: int
) -> tuple[Tensor, Tensor, Tensor]:
    return drawn(generator, *leading, T_q, d_k), drawn(generator, *leading, T_k, d_k), drawn(generator, *leading, T_k, d_v)


def dot(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def shares(scores: list[float]) -> list[float]:
    """exp(s) over the sum of all, with Python's own exp and no maximum taken off unless it overflows."""
    largest = max(scores)
    powers = [math.exp(s - (largest if largest > 700 else 0)) for s in scores]
    return [p / math.fsum(powers) for p in powers]


def mixed(weights: list[float], rows: list[list[float]]) -> list[float]:
    return [math.fsum(w * row[i] for w, row in zip(weights, rows, strict=True)) for i in range(len(rows[0]))]


def projected(X: list[list[float]], W: list[list[float]]) -> list[list[float]]:
    columns = [list(c) for c in zip(*W, strict=True)]
    return [[dot(x, column) for column in columns] for x in X]


def attended(Q: list[list[float]], K: list[list[float]], V: list[list[float]]) -> tuple[Tensor, Tensor]:
    """Attention of one example, number by number."""
    weights = [shares([dot(q, k) / math.sqrt(len(k)) for k in K]) for q in Q]
    output = [mixed(row, V) for row in weights]
    return torch.tensor(output, dtype=torch.float64), torch.tensor(weights, dtype=torch.float64)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_attention_agrees_with_torchs_own(generator: torch.Generator, shape: tuple[tuple[int, ...], int, int, int, int]) -> None:
    Q, K, V = inputs(generator, *shape)
    output, weights = reference.attention(Q, K, V)
    torch.testing.assert_close(output, scaled_dot_product_attention(Q, K, V), **NEAR)
    identity = torch.eye(K.shape[-2], dtype=torch.float64).expand(*K.shape[:-1], K.shape[-2])
    torch.testing.assert_close(weights, scaled_dot_product_attention(Q, K, identity), **NEAR)


@pytest.mark.parametrize("shape", SHAPES[:3], ids=str)
def test_attention_agrees_with_plain_loops(generator: torch.Generator, shape: tuple[tuple[int, ...], int, int, int, int]) -> None:
    Q, K, V = inputs(generator, *shape)
    for found, expected in zip(reference.attention(Q, K, V), attended(Q.tolist(), K.tolist(), V.tolist()), strict=True):
        torch.testing.assert_close(found, expected, **NEAR)


def test_a_batch_is_its_examples_one_by_one(generator: torch.Generator) -> None:
    Q, K, V = inputs(generator, (2, 3), 4, 5, 6, 7)
    output, weights = reference.attention(Q, K, V)
    for i in range(2):
        for j in range(3):
            one = attended(Q[i, j].tolist(), K[i, j].tolist(), V[i, j].tolist())
            torch.testing.assert_close(output[i, j], one[0], **NEAR)
            torch.testing.assert_close(weights[i, j], one[1], **NEAR)


@pytest.mark.parametrize("size", [1e2, 1e4, 1e6])
def test_attention_of_large_scores_is_finite_and_agrees_with_torchs_own(generator: torch.Generator, size: float) -> None:
    Q, K, V = inputs(generator, (), 3, 5, 4, 2)
    output, weights = reference.attention(Q * size, K, V)
    assert weights.sum(dim=-1).allclose(torch.ones(3, dtype=torch.float64))
    torch.testing.assert_close(output, scaled_dot_product_attention(Q * size, K, V), rtol=1e-9, atol=1e-9)


def test_references_of_float32_inputs_are_computed_in_float64(generator: torch.Generator) -> None:
    Q, K, V = (t.float() for t in inputs(generator, (), 3, 5, 4, 2))
    output, weights = reference.attention(Q, K, V)
    assert output.dtype is weights.dtype is torch.float64
    torch.testing.assert_close(output, scaled_dot_product_attention(Q.double(), K.double(), V.double()), **NEAR)


def test_softmax_agrees_with_torchs_own_and_with_loops(generator: torch.Generator) -> None:
    scores = drawn(generator, 2, 3, 5) * 10
    torch.testing.assert_close(reference.softmax(scores), torch.softmax(scores, dim=-1), **NEAR)
    torch.testing.assert_close(reference.softmax(scores)[1, 2].tolist(), shares(scores[1, 2].tolist()), **NEAR)


@pytest.mark.parametrize("leading", [(), (2,), (3, 2)], ids=str)
def test_additive_scores_agree_with_plain_loops(generator: torch.Generator, leading: tuple[int, ...]) -> None:
    queries, keys = drawn(generator, *leading, 3, 4), drawn(generator, *leading, 5, 6)
    W_q, W_k, v = drawn(generator, 4, 7), drawn(generator, 6, 7), drawn(generator, 7)
    found = reference.additive_scores(queries, keys, W_q, W_k, v).reshape(-1, 3, 5)
    for example, one_queries, one_keys in zip(found, queries.reshape(-1, 3, 4), keys.reshape(-1, 5, 6), strict=True):
        left, right = projected(one_queries.tolist(), W_q.tolist()), projected(one_keys.tolist(), W_k.tolist())
        expected = [[dot([math.tanh(a + b) for a, b in zip(q, k, strict=True)], v.tolist()) for k in right] for q in left]
        torch.testing.assert_close(example.tolist(), expected, **NEAR)


@pytest.mark.parametrize("leading", [(), (2,)], ids=str)
def test_cross_attention_agrees_with_torchs_own_and_with_loops(generator: torch.Generator, leading: tuple[int, ...]) -> None:
    X_dec, X_enc = drawn(generator, *leading, 2, 6), drawn(generator, *leading, 5, 7)
    W_Q, W_K, W_V = drawn(generator, 6, 9), drawn(generator, 7, 9), drawn(generator, 7, 3)
    output, weights = reference.cross_attention(X_dec, X_enc, W_Q, W_K, W_V)
    torch.testing.assert_close(output, scaled_dot_product_attention(X_dec @ W_Q, X_enc @ W_K, X_enc @ W_V), **NEAR)
    if not leading:
        turned = [projected(X.tolist(), W.tolist()) for X, W in ((X_dec, W_Q), (X_enc, W_K), (X_enc, W_V))]
        for found, expected in zip((output, weights), attended(*turned), strict=True):
            torch.testing.assert_close(found, expected, **NEAR)


def test_self_attention_is_cross_attention_of_a_sequence_with_itself(generator: torch.Generator) -> None:
    X, W_Q, W_K, W_V = drawn(generator, 5, 6), drawn(generator, 6, 9), drawn(generator, 6, 9), drawn(generator, 6, 3)
    output, _ = reference.self_attention(X, W_Q, W_K, W_V)
    torch.testing.assert_close(output, scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V), **NEAR)


@pytest.mark.parametrize("temperature", [0.05, 0.3, 1.0, 2.5, 1e6])
def test_soft_lookup_agrees_with_torchs_own_and_with_loops(generator: torch.Generator, temperature: float) -> None:
    query, keys, values = drawn(generator, 4), drawn(generator, 6, 4), drawn(generator, 6, 3)
    found = reference.soft_lookup(query, keys, values, temperature)
    torchs = scaled_dot_product_attention(query[None], keys, values, scale=1 / temperature)[0]
    torch.testing.assert_close(found, torchs, **NEAR)
    weights = shares([dot(query.tolist(), key) / temperature for key in keys.tolist()])
    torch.testing.assert_close(found.tolist(), mixed(weights, values.tolist()), **NEAR)


def test_soft_lookup_nears_hard_lookup_when_cold_and_the_mean_when_hot(generator: torch.Generator) -> None:
    query, keys, values = drawn(generator, 4), drawn(generator, 6, 4), drawn(generator, 6, 3)
    torch.testing.assert_close(
        reference.soft_lookup(query, keys, values, 1e-6), reference.hard_lookup(query, keys, values), **NEAR
    )
    torch.testing.assert_close(reference.soft_lookup(query, keys, values, 1e12), values.mean(dim=0), rtol=1e-9, atol=1e-9)


def test_hard_lookup_finds_the_first_of_the_best(generator: torch.Generator) -> None:
    for _ in range(50):
        query, keys, values = drawn(generator, 3), drawn(generator, 5, 3), drawn(generator, 5, 2)
        best = 0
        for i in range(1, 5):
            if dot(query.tolist(), keys[i].tolist()) > dot(query.tolist(), keys[best].tolist()):
                best = i
        assert torch.equal(reference.hard_lookup(query, keys, values), values[best])
    keys = torch.tensor([[0.0, 1.0], [2.0, 0.0], [2.0, 5.0]])
    assert reference.hard_lookup(torch.tensor([1.0, 0.0]), keys, torch.eye(3)).tolist() == [0, 1, 0]
