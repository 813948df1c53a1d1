"""The references of stretch_multihead against further witnesses, in float64: torch's own module, and plain loops over numbers."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from grader_tests.references import multihead as reference
from grader_tests.references.attention import attention
from grader_tests.references.multihead import Layers, Problem
from grader_tests.stretch.masks import draw_padded, lowered
from grader_tests.stretch.modules import SHAPES, Shape, draw_cross, draw_self

NEAR = {"rtol": 1e-12, "atol": 1e-12}


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def masked(generator: torch.Generator, shape: Shape) -> Problem:
    """A problem some of whose keys are padded, where there is more than one key."""
    problem = draw_cross(generator, shape)
    valid = torch.rand(shape.B, shape.T_k, generator=generator) < 0.6
    valid[:, 0] |= ~valid.any(dim=1)
    return problem._replace(key_is_valid=valid)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_split_and_merge_are_what_indices_say_and_undo_each_other(generator: torch.Generator, shape: Shape) -> None:
    x = torch.randn(shape.B, shape.T_q, shape.d_model, generator=generator)
    heads = reference.split_heads(x, shape.n_heads)
    d_head = shape.d_model // shape.n_heads
    assert tuple(heads.shape) == (shape.B, shape.n_heads, shape.T_q, d_head)
    for column in range(shape.d_model):
        assert torch.equal(heads[:, column // d_head, :, column % d_head], x[:, :, column])
    assert torch.equal(reference.merge_heads(heads), x)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("padded", [False, True])
def test_the_operator_agrees_with_torchs_own_module(generator: torch.Generator, shape: Shape, padded: bool) -> None:
    problem = masked(generator, shape) if padded else draw_cross(generator, shape)
    state = torch.get_rng_state()
    for found, expected in zip(reference.multi_head_attention(problem), reference.torchs_own(problem), strict=True):
        assert expected.dtype is torch.float64
        torch.testing.assert_close(found, expected, **NEAR)
    assert torch.equal(torch.get_rng_state(), state), "torch's own module was given its weights, not drawn"


def test_one_head_is_the_attention_of_m1_between_projections(generator: torch.Generator) -> None:
    problem = draw_cross(generator, Shape(2, 3, 5, 8, 1))
    W_Q, W_K, W_V, W_O = problem.layers
    output, weights = attention(problem.queries @ W_Q.mT, problem.keys @ W_K.mT, problem.values @ W_V.mT)
    found = reference.multi_head_attention(problem)
    torch.testing.assert_close(found[0], output @ W_O.mT, **NEAR)
    torch.testing.assert_close(found[1][:, 0], weights, **NEAR)


def test_the_operator_agrees_with_loops_over_numbers(generator: torch.Generator) -> None:
    problem = masked(generator, Shape(2, 3, 4, 6, 2))
    output, weights = reference.multi_head_attention(problem)
    layers = Layers(*(weight.tolist() for weight in problem.layers))
    for b in range(2):
        Q, K, V = (times(x[b], W) for x, W in zip(problem[2:5], layers[:3], strict=True))
        real = [j for j in range(4) if problem.key_is_valid is not None and problem.key_is_valid[b, j]]
        for i in range(3):
            merged: list[float] = []
            for columns in (range(3), range(3, 6)):
                powers = [math.exp(math.fsum(Q[i][c] * K[j][c] for c in columns) / math.sqrt(3)) for j in real]
                shares = [power / math.fsum(powers) for power in powers]
                torch.testing.assert_close(weights[b, columns.start // 3, i, real].tolist(), shares, **NEAR)
                merged += [math.fsum(s * V[j][c] for s, j in zip(shares, real, strict=True)) for c in columns]
            torch.testing.assert_close(
                output[b, i].tolist(), times(torch.tensor([merged], dtype=torch.float64), layers.W_O)[0], **NEAR
            )


def times(x: Tensor, weight: list[list[float]]) -> list[list[float]]:
    """(T, d), rows of a layer's weight -> (T, a)."""
    return [[math.fsum(w * v for w, v in zip(row, token, strict=True)) for row in weight] for token in x.tolist()]


@pytest.mark.parametrize("shape", [SHAPES[0], SHAPES[3]], ids=str)
def test_permuted_tokens_give_permuted_outputs(generator: torch.Generator, shape: Shape) -> None:
    problem = draw_self(generator, shape)
    order = torch.randperm(shape.T_q, generator=generator)
    x = problem.queries[:, order]
    permuted = reference.multi_head_attention(problem._replace(queries=x, keys=x, values=x))
    straight = reference.multi_head_attention(problem)
    torch.testing.assert_close(permuted[0], straight[0][:, order], **NEAR)
    torch.testing.assert_close(permuted[1], straight[1][:, :, order][..., order], **NEAR)


@pytest.mark.parametrize("by", [-8.0, -1e4, 30.0])
def test_lowering_shifts_every_score_of_every_head_and_changes_no_share(generator: torch.Generator, by: float) -> None:
    problem = draw_padded(generator, SHAPES[0])
    flat, shifted = lowered(problem, 0.0), lowered(problem, by)
    torch.testing.assert_close(scores(shifted), scores(flat) + by, rtol=1e-9, atol=1e-9)
    one, other = reference.multi_head_attention(flat)[1], reference.multi_head_attention(shifted)[1]
    torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def scores(problem: Problem) -> Tensor:
    """Scaled scores (B, H, T_q, T_k)."""
    Q, K = (
        reference.split_heads(reference.linear(x, W), problem.n_heads)
        for x, W in ((problem.queries, problem.layers.W_Q), (problem.keys, problem.layers.W_K))
    )
    return Q @ K.mT / math.sqrt(Q.shape[-1])


def test_gradients_agree_with_finite_differences(generator: torch.Generator) -> None:
    problem = masked(generator, Shape(2, 3, 4, 6, 2))

    def output(*given: Tensor) -> Tensor:
        layers, inputs = Layers(*given[:4]), given[4:]
        return reference.multi_head_attention(Problem(layers, 2, *inputs, problem.key_is_valid))[0]

    given = [t.clone().requires_grad_(True) for t in (*problem.layers, *problem[2:5])]
    assert torch.autograd.gradcheck(output, given)


def test_references_of_float32_inputs_are_computed_in_float64(generator: torch.Generator) -> None:
    problem = draw_cross(generator, SHAPES[0], torch.float32)
    assert all(part.dtype is torch.float64 for part in reference.multi_head_attention(problem))
