"""What the pool's questions say, shown by computing it: their formulas against torch, and the statements that can be run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import pytest
import torch

from grader_tests.exam.family import Sibling, compute, read_pool
from grader_tests.exam.formulas import costs, scale, weights
from grader_tests.references.attention import attention


def sibling(family: str, number: int) -> Sibling:
    return next(f for f in read_pool() if f.name == family).siblings[number - 1]


def drawn(family: str, number: int) -> Iterator[dict[str, int]]:
    for numbers in sibling(family, number).all_numbers():
        yield {name: int(str(value)) for name, value in numbers.items()}


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_variance_of_a_score_exactly_by_enumerating_signs() -> None:
    """Coordinates ±a and ±b with equal chances have variances a² and b²: over all signs, q·k has variance d a² b²."""
    for d, var_q, var_k in ((2, 2.0, 7.0), (3, 3.0, 0.25), (4, 5.0, 1.5)):
        signs = torch.tensor(list(itertools.product((-1.0, 1.0), repeat=2 * d)), dtype=torch.float64)
        scores = (signs[:, :d] * signs[:, d:]).sum(dim=1) * math.sqrt(var_q * var_k)
        assert scores.var(correction=0).item() == pytest.approx(scale.general_variance(d, var_q, var_k))
        left = (scores / scale.general_divisor(d, var_q, var_k)).var(correction=0).item()
        assert left == pytest.approx(scale.one())
        assert (scores / scale.root(d)).var(correction=0).item() == pytest.approx(scale.variance_after_root(var_q, var_k))


@pytest.mark.parametrize("number", [1, 2])
def test_shapes_of_the_additive_and_of_the_projected_form(number: int) -> None:
    for n in itertools.islice(drawn("shape_table", number), 4):
        queries, keys = torch.zeros(n["B"], n["m"], n["d_d"]), torch.zeros(n["B"], n["n"], n["d_e"])
        W_q, W_k = torch.zeros(n["d_d"], n["d_a"]), torch.zeros(n["d_e"], n["d_a"])
        asked, offered = queries @ W_q, keys @ W_k
        features = torch.tanh(asked[:, :, None, :] + offered[:, None, :, :])
        scores = features.sum(dim=-1) if number == 1 else asked @ offered.transpose(-2, -1)
        context = scores.softmax(dim=-1) @ keys
        made = (asked, features, scores, context) if number == 1 else (offered, W_k, scores, context)
        cells = sibling("shape_table", number).lists["cells"]
        assert [compute(cell.answer, n) for cell in cells] == [tuple(t.shape) for t in made]


def test_memory_of_the_additive_form() -> None:
    for n in drawn("additive_memory", 1):
        features = torch.empty(n["B"], n["m"], n["n"], n["d_a"], device="meta")
        scores = torch.empty(n["B"], n["m"], n["n"], device="meta")
        assert costs.feature_bytes(**n) == features.numel() * features.element_size()
        assert costs.score_bytes(n["B"], n["m"], n["n"]) == scores.numel() * scores.element_size()
        assert costs.feature_ratio(**n) == features.numel() / scores.numel()


def test_layers_of_convolution_until_the_middle_sees_everything() -> None:
    for n in drawn("global_sight", 1):
        length, layers = n["n"], 0
        seen = torch.zeros(1, 1, length)
        seen[..., length // 2] = 1
        while not bool((seen > 0).all()):
            seen, layers = torch.nn.functional.conv1d(seen, torch.ones(1, 1, 3), padding=1), layers + 1
        assert costs.layers_of_three(length) == layers


def test_weights_from_scores() -> None:
    for numbers in sibling("weight_of_key", 1).all_numbers():
        raw = torch.tensor([float(str(numbers[name])) for name in "abc"], dtype=torch.float64)
        right = torch.softmax(raw / math.sqrt(int(str(numbers["d_k"]))), dim=0)[0].item()
        assert compute("weights.first_of_three", numbers) == pytest.approx(right)
    for n in drawn("weight_of_key", 2):
        right = torch.softmax(torch.tensor([float(n["g"])] + [0.0] * n["others"], dtype=torch.float64), dim=0)[0].item()
        assert weights.one_ahead(**n) == pytest.approx(right)


# Statements of degenerate_inputs, softmax_axis, kernel_analogy and scaling_facts.


def test_attention_at_its_edges() -> None:
    Q, K, V = normal(3, 4), normal(5, 4, seed=1), normal(5, 2, seed=2)
    mean = V.mean(dim=0).expand(3, 2)
    output, usual = attention(Q, K, V)
    assert torch.allclose(attention(Q, K[:1], V[:1])[0], V[:1].expand(3, 2))
    assert torch.allclose(attention(Q, K[:1].expand(5, 4), V)[0], mean)
    assert torch.allclose(attention(0 * Q, K, V)[0], mean)
    assert torch.allclose(attention(Q, K, V[:1].expand(5, 2))[0], V[:1].expand(3, 2))
    shift = normal(4, seed=3)
    assert torch.allclose(attention(Q, K + shift, V)[1], usual)
    assert torch.allclose(attention(Q, K, V + shift[:2])[0], output + shift[:2])
    order = torch.tensor([3, 0, 4, 1, 2])
    assert torch.allclose(attention(Q, K[order], V[order])[0], output)
    assert torch.allclose(attention(Q, K.repeat(2, 1), V.repeat(2, 1))[0], output)
    assert not torch.allclose(attention(2 * Q, K, V)[1], usual)
    assert not torch.allclose(attention(Q, K, V[order])[0], output)
    equal_values = torch.cat([V[:1], V[:1], V[2:]])
    assert not torch.allclose(*attention(Q, K, equal_values)[1][:, :2].T)
    zeroed = torch.cat([0 * K[:1], K[1:]])
    assert bool((attention(Q, zeroed, V)[1][:, 0] > 0).all())
    assert bool((output <= V.max(dim=0).values).all() & (output >= V.min(dim=0).values).all())


def test_attention_without_projections_is_nearly_but_not_exactly_the_identity_at_great_width() -> None:
    X = normal(6, 400)
    weights_of_rows = attention(X, X, X)[1]
    assert bool((weights_of_rows.diagonal() > 0.99).all())
    assert bool((weights_of_rows > 0).all())
    longer = torch.cat([X[:1], 2 * X[:1]])
    assert attention(longer, longer, longer)[1][0].argmax() == 1


def test_no_query_disturbs_another() -> None:
    Q, K, V = normal(3, 4), normal(5, 4, seed=1), normal(5, 2, seed=2)
    assert torch.allclose(attention(Q[:2], K, V)[0], attention(Q, K, V)[0][:2])


def test_softmax_over_a_wrong_axis() -> None:
    scores = normal(2, 4, 9)
    by_query = scores.softmax(dim=1)
    assert torch.allclose(by_query.sum(dim=1), torch.ones(2, 9, dtype=torch.float64))
    assert not torch.allclose(by_query.sum(dim=2), torch.ones(2, 4, dtype=torch.float64))
    assert torch.equal(normal(2, 9, 1).softmax(dim=-1), torch.ones(2, 9, 1, dtype=torch.float64))


def test_a_score_with_two_projections_is_no_kernel_and_with_one_it_is_symmetric() -> None:
    X, W_q, W_k = normal(6, 3), normal(3, 3, seed=1), normal(3, 3, seed=2)
    two = torch.exp((X @ W_q) @ (X @ W_k).T / math.sqrt(3))
    one = torch.exp((X @ W_q) @ (X @ W_q).T / math.sqrt(3))
    assert not torch.allclose(two, two.T)
    assert torch.allclose(one, one.T)
    assert torch.linalg.eigvalsh(one).min() > -1e-9
    assert torch.linalg.eigvalsh((two + two.T) / 2).min() < 0


def test_a_weight_responds_to_its_score_most_at_one_half() -> None:
    p = torch.linspace(0, 1, 101, dtype=torch.float64)
    assert p[(p * (1 - p)).argmax()].item() == pytest.approx(0.5)
    assert pytest.approx(0.16) == 0.2 * 0.8


def test_what_width_does_to_scores_and_to_the_largest_weight() -> None:
    largest = {}
    for d in (8, 512):
        q, k = normal(2000, 1, d, seed=d), normal(2000, 16, d, seed=d + 1)
        raw = (q * k).sum(dim=-1)
        largest[d] = (raw.softmax(dim=-1).max(dim=-1).values.mean(), (raw / d**0.5).softmax(dim=-1).max(dim=-1).values.mean())
        assert raw.var().item() == pytest.approx(d, rel=0.1)
    assert largest[8][0] < 0.6 < 0.9 < largest[512][0]
    assert abs(largest[8][1] - largest[512][1]) < 0.02
    assert (raw / 512).softmax(dim=-1).max(dim=-1).values.mean() == pytest.approx(1 / 16, rel=0.1)
