"""Statements of the pool's second half that can be tried out: each is shown true or false by a computation."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from grader_tests.exam.family import Part, Sibling, read_pool

FAMILIES = {family.name: family for family in read_pool()}
NEAR = {"rtol": 1e-10, "atol": 1e-10}


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(6050)


def drawn(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def sibling_with(name: str, words: str) -> Sibling:
    """The sibling of a family whose text or parts hold the words: a question that has changed is no longer found."""
    found = [s for s in FAMILIES[name].siblings if words in s.text or any(words in p.text for ps in s.lists.values() for p in ps)]
    assert len(found) == 1
    return found[0]


def jacobian(scores: Tensor) -> Tensor:
    return torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=0), scores)


def jacobian_of_context(scores: Tensor, V: Tensor) -> Tensor:
    return torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=0) @ V, scores)


def slope(p: float) -> float:
    return p * (1 - p)


def attend(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    return torch.softmax(Q @ K.T / math.sqrt(K.shape[-1]), dim=-1) @ V


# Masks


def mask_expressions() -> list[tuple[bool, Part]]:
    lists = sibling_with("mask_rules", "s.masked_fill(is_padding, ").lists
    return [(name == "right", part) for name in ("right", "wrong") for part in lists[name]]


@pytest.mark.parametrize(("right", "part"), mask_expressions(), ids=lambda value: value.text if isinstance(value, Part) else "")
def test_expressions_for_a_mask_do_as_the_key_says(generator: torch.Generator, right: bool, part: Part) -> None:
    scores, is_padding = drawn(generator, 3, 4), torch.tensor([False, True, False, True])
    expected = torch.zeros(3, 4, dtype=torch.float64)
    expected[:, [0, 2]] = torch.softmax(scores[:, [0, 2]], dim=-1)
    try:
        masked = eval(part.text.strip("`"), {"torch": torch, "s": scores, "is_padding": is_padding})
        weights = torch.softmax(masked, dim=-1)
        agrees = torch.allclose(weights, expected, **NEAR) and bool((weights[:, is_padding] == 0).all())
    except RuntimeError:
        agrees = False
    assert agrees is right


def test_what_is_no_mask_leaves_a_weight_or_takes_one_away() -> None:
    assert torch.softmax(torch.full((3,), -torch.inf), dim=0).isnan().all()
    assert torch.softmax(torch.tensor([-100.0, -100.0]), dim=0)[1] == 0.5
    assert torch.softmax(torch.tensor([-110.0, -100.0]), dim=0)[1] > 0.99


def test_a_mask_after_softmax_needs_a_division_and_before_the_scaling_none(generator: torch.Generator) -> None:
    scores, valid = drawn(generator, 3, 5), torch.tensor([True, True, True, False, False])
    right = torch.softmax(scores.masked_fill(~valid, -torch.inf) / 8, dim=-1)
    late = torch.softmax(scores / 8, dim=-1) * valid
    assert bool((late.sum(dim=-1) < 0.999).all())
    torch.testing.assert_close(late / late.sum(dim=-1, keepdim=True), right, **NEAR)
    torch.testing.assert_close(torch.softmax((scores / 8).masked_fill(~valid, -torch.inf), dim=-1), right, **NEAR)


def test_padded_targets_count_in_a_loss_without_a_mask_though_no_position_sees_them(generator: torch.Generator) -> None:
    logits, targets = drawn(generator, 5, 4), torch.tensor([1, 3, 2, 0, 0])
    assert not torch.allclose(nn.functional.cross_entropy(logits, targets), nn.functional.cross_entropy(logits[:3], targets[:3]))


def test_a_triangle_shields_earlier_positions_and_must_come_before_softmax(generator: torch.Generator) -> None:
    scores, V = drawn(generator, 5, 5), drawn(generator, 5, 2)
    triangle = torch.ones(5, 5, dtype=torch.bool).tril()
    weights = torch.softmax(scores.masked_fill(~triangle, -torch.inf), dim=-1)
    assert weights[0, 0] == 1
    other = V.clone()
    other[-1] += 3
    torch.testing.assert_close((weights @ other)[:-1], (weights @ V)[:-1], **NEAR)
    assert triangle.sum(dim=-1).tolist() == [1, 2, 3, 4, 5]
    torch.testing.assert_close((weights @ (weights @ other))[:-1], (weights @ (weights @ V))[:-1], **NEAR)
    late = torch.softmax(scores, dim=-1) * triangle
    assert (late.sum(dim=-1)[:-1] < 0.999).all()


# Order


def test_self_attention_moves_its_rows_along_with_the_tokens(generator: torch.Generator) -> None:
    X, W_Q, W_K, W_V = drawn(generator, 6, 4), *(drawn(generator, 4, 4) for _ in range(3))
    X[4] = X[1]
    order = torch.randperm(6, generator=generator)
    output, moved = (attend(Y @ W_Q, Y @ W_K, Y @ W_V) for Y in (X, X[order]))
    torch.testing.assert_close(moved, output[order], **NEAR)
    torch.testing.assert_close(moved.mean(dim=0), output.mean(dim=0), **NEAR)
    torch.testing.assert_close(output[4], output[1], **NEAR)
    assert not torch.allclose(moved, output)
    longer = attend(*(torch.cat([X, drawn(generator, 1, 4)]) @ W for W in (W_Q, W_K, W_V)))
    assert not torch.allclose(longer[:6], output)
    assert not torch.allclose(attend(*(torch.cat([X[:1], X[1:] + 1]) @ W for W in (W_Q, W_K, W_V)))[0], output[0])


def test_a_causal_mask_and_a_bias_of_distance_see_the_order(generator: torch.Generator) -> None:
    X, order = drawn(generator, 5, 4), torch.tensor([1, 0, 2, 3, 4])
    triangle = torch.zeros(5, 5, dtype=torch.float64).masked_fill(~torch.ones(5, 5, dtype=torch.bool).tril(), -torch.inf)
    place = torch.arange(5)
    distance = drawn(generator, 9)[place[None, :] - place[:, None] + 4]
    for added in (triangle, distance):
        output, moved = (torch.softmax(Y @ Y.T / 2 + added, dim=-1) @ Y for Y in (X, X[order]))
        assert not torch.allclose(moved, output[order])


def test_two_dates_of_the_same_characters_give_equal_contexts_from_bare_embeddings(generator: torch.Generator) -> None:
    sibling_with("order_lost", "`01/02/1950` and `02/01/1950`")
    embedding, query = drawn(generator, 128, 4), drawn(generator, 1, 4)
    memories = [embedding[[ord(c) for c in source]] for source in ("01/02/1950", "02/01/1950")]
    torch.testing.assert_close(*(attend(query, memory, memory) for memory in memories), **NEAR)


# Heatmap: what a column can hold


def test_a_changed_character_reaches_its_own_state_and_all_later_ones(generator: torch.Generator) -> None:
    sibling = sibling_with("delimiter_state", "How many of the <<j>> states can change?")
    encoder = nn.LSTM(3, 4, batch_first=True, dtype=torch.float64)
    for numbers in sibling.all_numbers():
        i, j = numbers["i"], numbers["j"]
        assert isinstance(i, int)
        assert isinstance(j, int)
        source = drawn(generator, 1, j, 3)
        other = source.clone()
        other[0, i - 1] += 1
        changed = (encoder(source)[0] != encoder(other)[0]).any(dim=-1)[0]
        assert changed.tolist() == [False] * (i - 1) + [True] * (j - i + 1)


def test_largest_weights_may_lie_inside_a_region_with_less_than_half_of_the_weight() -> None:
    sibling_with("lie_heatmap", "more than half of its weight elsewhere")
    inside, outside = [0.3, 0.1, 0.04, 0.01], [0.2, 0.2, 0.15]
    assert sum(inside) + sum(outside) == pytest.approx(1)
    assert max(inside) > max(outside)
    assert sum(inside) < 0.5


def test_what_a_weight_of_0985_says_of_scores() -> None:
    sibling_with("lie_heatmap", "ahead of each other state's by more than 4")
    assert 4 < math.log(0.985 / 0.015) < 4.25
    scores = torch.log(torch.tensor([0.985, 0.01, 0.005], dtype=torch.float64)) + 7
    assert bool((scores > 0).all())
    assert torch.softmax(scores, dim=0)[0].item() == pytest.approx(0.985)
    assert torch.softmax(scores + 3, dim=0)[0].item() == pytest.approx(0.985)
    assert torch.softmax(scores / 3, dim=0).argmax() == 0
    one_other = torch.log(torch.tensor([0.985, 0.015], dtype=torch.float64))
    assert f"{torch.softmax(one_other / 2, dim=0)[0].item():.2f}" == "0.89"


# Gradients


def test_the_jacobian_of_softmax_is_as_the_statements_say(generator: torch.Generator) -> None:
    J = jacobian(drawn(generator, 6))
    torch.testing.assert_close(J, J.T, **NEAR)
    torch.testing.assert_close(J.sum(dim=-1), torch.zeros(6, dtype=torch.float64), **NEAR)
    assert (J - torch.diag(J.diag()) + torch.eye(6) * -1 < 0).all()
    assert round(float(jacobian(torch.zeros(5)).norm()), 3) == 0.4
    assert round(float(jacobian(torch.tensor([0.0, 0.0, *[-1000.0] * 3])).norm()), 3) == 0.5
    assert slope(0.9) == pytest.approx(slope(0.1))
    scores = drawn(generator, 5)
    raised = torch.softmax(scores + torch.tensor([2.0, 0, 0, 0, 0]), dim=0)
    ratios = raised[1:] / torch.softmax(scores, dim=0)[1:]
    torch.testing.assert_close(ratios, ratios[:1].expand(4), **NEAR)
    equal = jacobian(torch.zeros(5, dtype=torch.float64))
    assert equal[0, 0].item() == pytest.approx(-4 * equal[1, 0].item())


def test_the_gradient_of_a_row_is_its_weight_times_what_its_value_adds_to_the_context(generator: torch.Generator) -> None:
    scores, V, g = drawn(generator, 5).requires_grad_(), drawn(generator, 5, 3), drawn(generator, 3)
    p = torch.softmax(scores, dim=0)
    (gradient,) = torch.autograd.grad(p @ V @ g, scores)
    torch.testing.assert_close(gradient, (p * ((V - p @ V) @ g)).detach(), **NEAR)
    assert abs(float(gradient.sum())) < 1e-12
    moved = V + drawn(generator, 3)
    responses = [jacobian_of_context(scores.detach(), values) for values in (V, moved)]
    torch.testing.assert_close(*responses, **NEAR)
    other = V.clone()
    other[0] += 1
    assert not torch.allclose(jacobian_of_context(scores.detach(), other)[:, 1], responses[0][:, 1])
    (none,) = torch.autograd.grad(torch.softmax(scores, dim=0) @ V[:1].expand(5, 3) @ g, scores)
    assert none.abs().max() < 1e-12


def test_an_excluded_key_gets_no_gradient(generator: torch.Generator) -> None:
    scores = drawn(generator, 4).requires_grad_()
    masked = scores.masked_fill(torch.tensor([False, True, False, False]), -torch.inf)
    (gradient,) = torch.autograd.grad(torch.softmax(masked, dim=0) @ drawn(generator, 4), scores)
    assert gradient[1] == 0
    assert (gradient[[0, 2, 3]] != 0).all()


def test_two_keys_apart_by_a_gap_are_as_the_statements_say() -> None:
    p = {g: 1 / (1 + math.exp(-g)) for g in (0, 5, 10, 20)}
    thirds = torch.softmax(torch.tensor([math.log(3), 0.0], dtype=torch.float64), dim=0)
    assert thirds.tolist() == pytest.approx([0.75, 0.25])
    assert round(slope(p[5]) / slope(p[10])) == 146
    assert 0 < 1 / (1 + math.exp(20)) < 2.1e-9
    assert torch.softmax(torch.tensor([20.0, 0.0]), dim=0)[1] > 0


# The rematch


def test_models_of_different_size_leave_different_minibatches_behind() -> None:
    """Both start from one seed; what they are built of decides what the generator gives next."""
    orders = []
    for width in (32, 160):
        with torch.random.fork_rng():
            torch.manual_seed(6050)
            nn.LSTMCell(width, 128)
            orders.append(torch.randperm(8000))
    assert not torch.equal(*orders)
