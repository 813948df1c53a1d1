"""The references of m3_entropy against further witnesses, in float64: torch's own functions, finite differences, plain loops."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from grader_tests.references import entropy as reference

NEAR = {"rtol": 1e-12, "atol": 1e-12}
# The published table: raw std, scaled std, entropy unscaled, entropy scaled, and the norms of the Jacobian unscaled.
PUBLISHED = {
    4: (1.240, 0.620, 1.240, 1.491, 0.385),
    16: (3.436, 0.859, 0.626, 1.439, 0.212),
    64: (7.321, 0.915, 0.404, 1.367, 0.234),
    256: (22.189, 1.387, 0.000, 1.065, 2.4e-6),
}


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def drawn(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 5), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_entropy_agrees_with_torchs_own_and_with_loops(generator: torch.Generator, shape: tuple[int, ...], scale: float) -> None:
    logits = scale * drawn(generator, *shape)
    found = reference.entropy(logits)
    torch.testing.assert_close(found, torch.distributions.Categorical(logits=logits).entropy(), **NEAR)
    for row, one in zip(logits.reshape(-1, shape[-1]).tolist(), found.reshape(-1).tolist(), strict=True):
        powers = [math.exp(x - max(row)) for x in row]
        shares = [p / math.fsum(powers) for p in powers]
        assert one == pytest.approx(-math.fsum(p * math.log(p) for p in shares if p > 0), abs=1e-12)


def test_entropy_at_its_extremes() -> None:
    for n in (1, 2, 7):
        assert float(reference.entropy(torch.full((n,), 1e4))) == pytest.approx(math.log(n), abs=1e-14)
    assert float(reference.entropy(torch.tensor([1e4, -1e4, 0.0]))) == 0.0
    assert float(reference.entropy(torch.tensor([-1e4, -1e4, -2e4]))) == pytest.approx(math.log(2), abs=1e-14)


def test_the_jacobian_agrees_with_autograd_and_finite_differences(generator: torch.Generator) -> None:
    for n in (1, 2, 6):
        logits = drawn(generator, n)
        found = reference.softmax_jacobian(logits)
        own: Tensor = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, dim=-1), logits)
        torch.testing.assert_close(found, own, **NEAR)
        steps = 1e-6 * torch.eye(n, dtype=torch.float64)
        differences = (torch.softmax(logits + steps, dim=-1) - torch.softmax(logits - steps, dim=-1)).T / 2e-6
        torch.testing.assert_close(found, differences, rtol=0, atol=1e-9)
        torch.testing.assert_close(found.sum(dim=0), torch.zeros(n, dtype=torch.float64), **NEAR)


def test_the_norm_agrees_with_the_closed_form(generator: torch.Generator) -> None:
    logits = 2 * drawn(generator, 4, 3, 5)
    p = torch.softmax(logits, dim=-1)
    squares = p.square().sum(dim=-1)
    torch.testing.assert_close(reference.gradient_norm(logits), (squares - 2 * p.pow(3).sum(-1) + squares**2).sqrt(), **NEAR)


@pytest.mark.parametrize("width", PUBLISHED)
def test_the_published_rows_come_out_to_the_digits_printed(width: int) -> None:
    row = reference.saturation_row(width, torch.Generator().manual_seed(0))
    scores = reference.saturation_scores(width, torch.Generator().manual_seed(0))
    norm = float(reference.gradient_norm(scores))
    assert row == pytest.approx(PUBLISHED[width][:4], abs=5.1e-4)
    assert norm == pytest.approx(PUBLISHED[width][4], rel=0.01, abs=5e-7)


def test_the_published_seed_is_that_of_the_global_generator() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        q, k = torch.randn(1, 16), torch.randn(5, 16)
    scores = reference.saturation_scores(16, torch.Generator().manual_seed(0))
    torch.testing.assert_close(scores, (q @ k.T)[0])


def test_scores_of_many_queries_are_dot_products_with_keys_of_their_own() -> None:
    found = reference.collapse_scores(3, 4, 5, torch.Generator().manual_seed(8))
    again = torch.Generator().manual_seed(8)
    queries, keys = torch.randn(4, 3, generator=again), torch.randn(4, 5, 3, generator=again)
    for i in range(4):
        for j in range(5):
            dot = math.fsum(x * y for x, y in zip(queries[i].tolist(), keys[i, j].tolist(), strict=True))
            assert float(found[i, j]) == pytest.approx(dot, abs=1e-5)


def test_the_smallest_width_counts_by_value_and_there_may_be_none() -> None:
    for threshold, expected in ((0.87, 16), (0.0, None), (9.0, 2)):
        assert reference.collapse_width([64, 2, 16], threshold, torch.Generator().manual_seed(1)) == expected


def test_references_of_float32_inputs_are_computed_in_float64(generator: torch.Generator) -> None:
    logits = drawn(generator, 5).float()
    for function in (reference.entropy, reference.softmax_jacobian, reference.gradient_norm):
        assert function(logits).dtype is torch.float64
