"""The references of the exam's code problems against further witnesses, in float64, and the names of mistakes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from grader_tests.exam.calibrated import draw_calibration
from grader_tests.exam.readings import ONE_KEY, SHAPES, Shape, draw_reading, lowered
from grader_tests.references import exam_code as reference
from grader_tests.vocabulary.inputs import SIZES, Sizes
from grading.checks import check_generator

NEAR = {"rtol": 1e-12, "atol": 1e-12}
SEEDS = [1, 2, 3, 2**61 + 7]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


@pytest.mark.parametrize("shape", [*SHAPES, ONE_KEY], ids=str)
def test_projected_attention_agrees_with_torchs_own_product(generator: torch.Generator, shape: Shape) -> None:
    reading = draw_reading(generator, shape, padded=True)
    (W_k, W_q), query, keys, valid = reading
    context, weights = reference.projected_attention(reading)
    expected = scaled_dot_product_attention((query @ W_q.mT)[:, None], keys @ W_k.mT, keys, attn_mask=valid[:, None, :])
    torch.testing.assert_close(context, expected[:, 0], **NEAR)
    assert torch.count_nonzero(weights.masked_select(~valid)) == 0
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(shape.B).double(), **NEAR)


def test_projected_attention_agrees_with_loops_over_numbers(generator: torch.Generator) -> None:
    reading = draw_reading(generator, Shape(2, 4, 3, 5, 2), padded=True)
    W_k, W_q = (weight.tolist() for weight in reading.projections)
    context, weights = reference.projected_attention(reading)
    for b in range(2):
        query, keys = reading.query[b].tolist(), reading.keys[b].tolist()
        real = [j for j in range(4) if reading.key_is_valid[b, j]]
        scores = [math.fsum(dot(k, keys[j]) * dot(q, query) for k, q in zip(W_k, W_q, strict=True)) / math.sqrt(2) for j in real]
        shares = [math.exp(s) / math.fsum(map(math.exp, scores)) for s in scores]
        torch.testing.assert_close(weights[b, real].tolist(), shares, **NEAR)
        mixed = [math.fsum(w * keys[j][c] for w, j in zip(shares, real, strict=True)) for c in range(5)]
        torch.testing.assert_close(context[b].tolist(), mixed, **NEAR)


def dot(one: list[float], other: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize("by", [-8.0, -1e4])
def test_lowering_shifts_every_score(generator: torch.Generator, by: float) -> None:
    reading = draw_reading(generator, SHAPES[0])
    flat, shifted = (reference.projected_scores(lowered(reading, offset)) / SHAPES[0].d_a ** 0.5 for offset in (0.0, by))
    torch.testing.assert_close(shifted, flat + by, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_calibrated_attention_agrees_with_torchs_own_product(generator: torch.Generator, sizes: Sizes) -> None:
    given = draw_calibration(generator, 3, sizes)
    Q, K, V, valid, var_q, var_k = given
    mask = valid[:, None, :].expand(-1, Q.shape[1], -1)
    expected = scaled_dot_product_attention(Q, K, V, attn_mask=mask, scale=(K.shape[-1] * var_q * var_k) ** -0.5)
    spoiled = given._replace(V=V.masked_fill(~valid[:, :, None], torch.nan))
    for some in (given, spoiled):
        torch.testing.assert_close(reference.calibrated_attention(some)[0], expected, **NEAR)


def test_calibrated_scores_have_variance_one_where_the_variances_are_as_said(generator: torch.Generator) -> None:
    # 400 x 400 independent pairs of width 64: the variance of the scores is known to some hundredths.
    Q, K = (
        0.5 * torch.randn(1, 400, 64, generator=generator).double(),
        1.5 * torch.randn(1, 400, 64, generator=generator).double(),
    )
    scaled = Q @ K.mT / math.sqrt(64 * 0.25 * 2.25)
    assert abs(float(scaled.var()) - 1) < 0.1
    weights = reference.calibrated_attention(reference.Calibration(Q, K, K, torch.ones(1, 400).bool(), 0.25, 2.25))[1]
    torch.testing.assert_close(weights, scaled.softmax(dim=-1), **NEAR)


def assert_all_differ(right: Tensor, mistakes: Mapping[str, Tensor]) -> None:
    """Far apart, where both have a value."""
    named = [("right", right.double()), *((name, wrong.double()) for name, wrong in mistakes.items())]
    for i, (name, value) in enumerate(named):
        for other, another in named[i + 1 :]:
            if value.shape == another.shape:
                assert float((value - another).nan_to_num(0.0).abs().max()) > 1e-4, (name, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_known_mistakes_differ_from_what_is_right_and_from_each_other(seed: int) -> None:
    generator = check_generator(seed, "x")
    reading = draw_reading(generator, SHAPES[0], padded=True)
    context, weights = reference.projected_attention(reading)
    assert_all_differ(weights, reference.mistaken_projected_weights(reading))
    assert_all_differ(context, reference.mistaken_contexts(reading, weights))
    given = draw_calibration(generator, 3, SIZES[0], torch.float32)
    assert_all_differ(reference.calibrated_attention(given)[1], reference.mistaken_calibrated_weights(given))
