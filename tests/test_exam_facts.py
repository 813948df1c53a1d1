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


def exact_variance(stds_q: list[float], stds_k: list[float]) -> float:
    """Of q·k, by enumerating signs: coordinates ±a and ±b with equal chances have the variances a² and b²."""
    d = len(stds_q)
    signs = torch.tensor(list(itertools.product((-1.0, 1.0), repeat=2 * d)), dtype=torch.float64)
    q, k = signs[:, :d] * torch.tensor(stds_q), signs[:, d:] * torch.tensor(stds_k)
    return (q * k).sum(dim=1).var(correction=0).item()


def test_variance_of_a_score_whose_keys_have_two_variances() -> None:
    for d, wide, var_k in ((2, 1, 4.0), (4, 1, 9.0), (5, 3, 2.25)):
        exact = exact_variance([1.0] * d, [math.sqrt(var_k)] * wide + [1.0] * (d - wide))
        assert scale.mixed_variance(d, wide, var_k) == pytest.approx(exact)
        assert exact / scale.mixed_divisor(d, wide, var_k) ** 2 == pytest.approx(1)
        everywhere = exact_variance([1.0] * d, [math.sqrt(var_k)] * d)
        assert everywhere / scale.all_wide_divisor(d, var_k) ** 2 == pytest.approx(1)


def test_variance_that_is_left_of_a_score_whose_queries_are_0_in_places() -> None:
    for d, live, var_q in ((2, 1, 4.0), (4, 1, 9.0), (5, 3, 2.25)):
        exact = exact_variance([math.sqrt(var_q)] * live + [0.0] * (d - live), [1.0] * d)
        assert scale.sparse_variance_undivided(live, var_q) == pytest.approx(exact)
        assert scale.sparse_variance(d, live, var_q) == pytest.approx(exact / math.sqrt(d) ** 2)
        assert scale.sparse_variance_by_root(d, live, var_q) == pytest.approx(exact / math.sqrt(d))
        assert scale.variance_of_live(var_q) == pytest.approx(exact_variance([math.sqrt(var_q)] * d, [1.0] * d) / d)


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
    assert bool((output <= V.max(dim=0).values).all() & (output >= V.min(dim=0).values).all())


def test_keys_that_are_long_opposite_or_equal_to_the_query() -> None:
    Q, K, V = normal(50, 4), normal(5, 4, seed=1), normal(5, 2, seed=2)
    long = torch.cat([1000 * K[:1], K[1:]])
    best = attention(Q, long, V)[1].argmax(dim=-1)
    assert 0 < (best == 0).sum() < len(Q)
    same = torch.cat([Q[:1], 2 * Q[:1], K[2:]])
    assert attention(Q[:1], same, V)[1].argmax() == 1
    opposite = torch.cat([K[:1], -K[:1]])
    assert bool((attention(Q, opposite, V[:2])[1] > 0).all())
    turned = attention(-Q, K, V)[1]
    assert torch.equal(turned.argsort(dim=-1), attention(Q, K, V)[1].argsort(dim=-1, descending=True))


def test_leaving_a_key_out_changes_the_others_by_one_factor() -> None:
    Q, K, V = normal(3, 4), normal(5, 4, seed=1), normal(5, 2, seed=2)
    all_weights, fewer = attention(Q, K, V)[1], attention(Q, K[[0, 2, 4]], V[[0, 2, 4]])[1]
    factors = fewer / all_weights[:, [0, 2, 4]]
    assert bool((factors > 1).all())
    assert torch.allclose(factors, factors[:, :1].expand(3, 3))


def test_which_width_decides_what() -> None:
    """The statements of raw_widths, by building what they speak of."""
    for n in drawn("raw_widths", 1):
        decoder, encoder = normal(3, n["d_d"]), normal(5, n["d_e"], seed=1)
        small = min(n.values()) // 2
        assert n["d_d"] * small != n["d_e"] * small
        narrow = attention(decoder @ normal(n["d_d"], small), encoder @ normal(n["d_e"], small), encoder @ normal(n["d_e"], 7))
        assert [t.shape for t in narrow] == [(3, 7), (3, 5)]
        assert attention(decoder @ normal(n["d_d"], n["d_e"]), encoder, encoder)[0].shape == (3, n["d_e"])
        assert attention(decoder, encoder @ normal(n["d_e"], n["d_d"]), encoder)[1].shape == (3, 5)
    for n in drawn("raw_widths", 2):
        state, memory, v = normal(n["d_d"]), normal(5, n["d_e"], seed=1), 10 * normal(n["d_d"], seed=2)
        scores = torch.tanh(state + memory @ normal(n["d_e"], n["d_d"], seed=3)) @ v
        assert scores.shape == (5,)
        assert scores.abs().max() > 1
        assert (scores.softmax(dim=0) @ memory).shape == (n["d_e"],)


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
    largest, best = {}, {}
    for d in (8, 512):
        q, k = normal(2000, 1, d, seed=d), normal(2000, 16, d, seed=d + 1)
        raw = (q * k).sum(dim=-1)
        best[d] = raw.max(dim=-1).values.mean()
        assert abs(raw.mean()) < 0.05 * d**0.5
        assert (raw / d**0.5).var(dim=-1).std() > 0.2
        largest[d] = (raw.softmax(dim=-1).max(dim=-1).values.mean(), (raw / d**0.5).softmax(dim=-1).max(dim=-1).values.mean())
        assert raw.var().item() == pytest.approx(d, rel=0.1)
    assert largest[8][0] < 0.6 < 0.9 < largest[512][0]
    assert abs(largest[8][1] - largest[512][1]) < 0.02
    assert (best[512] / best[8]).item() == pytest.approx(8, rel=0.1)
    assert (raw / 512).softmax(dim=-1).max(dim=-1).values.mean() == pytest.approx(1 / 16, rel=0.1)
