"""Numbers of the pool's second half against further witnesses: torch's own, at every number that can be drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn
from torch.distributions import Categorical

from grader_tests.exam.family import Family, Sibling, compute, read_pool
from grader_tests.exam.formulas import entropies, mixtures, parameters

FAR_AHEAD = 1000.0
FAMILIES = ("weighted_output", "parameter_count", "zero_score_leak", "entropy_table")
EXCLUDED = -math.inf
Witness = Callable[..., float]


def size(*modules: nn.Module) -> int:
    return sum(p.numel() for module in modules for p in module.parameters())


def linear(inputs: int, outputs: int, bias: bool = False) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=bias)


def growth(d_hidden: int, n_target: int) -> int:
    """Of a decoder whose embedding has some width: the difference is the same for every width."""
    wide = size(nn.LSTMCell(7 + d_hidden, d_hidden), linear(2 * d_hidden, n_target, bias=True))
    return wide - size(nn.LSTMCell(7, d_hidden), linear(d_hidden, n_target, bias=True))


def read(scores: list[float], values: list[float]) -> float:
    weights = torch.softmax(torch.tensor(scores, dtype=torch.float64), dim=0)
    return float(weights @ torch.tensor(values, dtype=torch.float64))


def spread(scores: list[float]) -> float:
    return float(Categorical(logits=torch.tensor(scores, dtype=torch.float64)).entropy())


def padded_row(real: int, padded: int, s: float) -> list[float]:
    return [s] * real + [0.0] * padded


WITNESSES: dict[str, Witness] = {
    "mixtures.mix_of_three": lambda w1, w2, a, b, c: read([math.log(w) for w in (w1, w2, 1 - w1 - w2)], [a, b, c]),
    "mixtures.mix_of_two": lambda r, a, b: read([0.0, math.log(r)], [a, b]),
    "mixtures.masked_mix": lambda p, q, s, a, b, c: read([math.log(p), math.log(q), EXCLUDED], [a, b, c]),
    "mixtures.unmasked_mix": lambda p, q, s, a, b, c: read([math.log(p), math.log(q), math.log(s)], [a, b, c]),
    "mixtures.zero_score_mix": lambda p, q, s, a, b, c: read([math.log(p), math.log(q), 0.0], [a, b, c]),
    "mixtures.mix_masked_too_late": lambda p, q, s, a, b, c: read([math.log(p), math.log(q), math.log(s)], [a, b, 0.0]),
    "mixtures.leak": lambda real, padded, s: read(padded_row(real, padded, s), [0.0] * real + [1.0] * padded),
    "mixtures.leak_of_one": lambda real, padded, s: read(padded_row(real, 1, s), [0.0] * real + [1.0]),
    "mixtures.leak_by_count": lambda real, padded, s: read(padded_row(real, padded, 0.0), [0.0] * real + [1.0] * padded),
    "mixtures.shrunk_value": lambda real, padded, s, v: read(padded_row(real, padded, s), [v] * real + [0.0] * padded),
    "mixtures.value_by_count": lambda real, padded, s, v: read([0.0] * (real + padded), [v] * real + [0.0] * padded),
    "mixtures.rise": lambda real, padded: spread([0.0] * (real + padded)) - spread([0.0] * real + [EXCLUDED] * padded),
    "mixtures.spread_of_all": lambda real, padded: spread([0.0] * (real + padded)),
    "mixtures.spread_of_padded": lambda real, padded: spread([0.0] * padded),
    "parameters.additive_scorer": lambda d_q, d_k, d_a: size(linear(d_q, d_a), linear(d_k, d_a), linear(d_a, 1)),
    "parameters.additive_without_v": lambda d_q, d_k, d_a: size(linear(d_q, d_a), linear(d_k, d_a)),
    "parameters.additive_with_biases": lambda d_q, d_k, d_a: size(linear(d_q, d_a, True), linear(d_k, d_a, True), linear(d_a, 1)),
    "parameters.input_feeding_cell": lambda d_embed, d_hidden: size(nn.LSTMCell(d_embed + d_hidden, d_hidden)),
    "parameters.cell_without_context": lambda d_embed, d_hidden: size(nn.LSTMCell(d_embed, d_hidden)),
    "parameters.cell_with_one_gate": lambda d_embed, d_hidden: size(nn.RNNCell(d_embed + d_hidden, d_hidden)),
    "parameters.context_growth": growth,
    "parameters.growth_of_output": lambda d_hidden, n_target: size(linear(d_hidden, n_target)),
    "entropies.of_equal_keys": lambda n, **_: spread([0.7] * n),
    "entropies.of_remaining_keys": lambda n, gone, **_: spread([0.7] * (n - gone) + [EXCLUDED] * gone),
    "entropies.of_doubled_keys": lambda n, **_: spread([0.7] * n + [0.7] * n),
    "entropies.of_one_key": lambda n, **_: spread([FAR_AHEAD] + [0.0] * (n - 1)),
    "entropies.of_two_keys": lambda n, **_: spread([FAR_AHEAD] * 2 + [0.0] * (n - 2)),
    "entropies.of_four_keys": lambda r, **_: spread([math.log(r)] * 4),
    "entropies.of_halves_and_quarters": lambda **_: spread([math.log(2), 0.0, 0.0]),
    "entropies.of_one_two_three": lambda **_: spread([math.log(1), math.log(2), math.log(3)]),
    "entropies.of_two_apart": lambda r, **_: spread([-0.4 + math.log(r), -0.4]),
    "entropies.of_two_half_as_far": lambda r, **_: spread([(0.2 + math.log(r)) / 2, 0.2 / 2]),
    "entropies.of_one_ahead": lambda r, others: spread([math.log(r)] + [0.0] * others),
}


def computed() -> Iterator[tuple[str, Sibling]]:
    """Keys and known mistakes that have a witness, and the siblings that they belong to."""
    families: dict[str, Family] = {family.name: family for family in read_pool()}
    for name in FAMILIES:
        for sibling in families[name].siblings:
            answers = [sibling.answer, *(part.answer for parts in sibling.lists.values() for part in parts)]
            yield from ((answer, sibling) for answer in answers if answer in WITNESSES)


@pytest.mark.parametrize(("formula", "sibling"), [*computed()], ids=lambda value: value if isinstance(value, str) else "")
def test_a_formula_agrees_with_its_witness_at_all_numbers_of_the_question(formula: str, sibling: Sibling) -> None:
    for numbers in sibling.all_numbers():
        assert compute(formula, numbers) == pytest.approx(WITNESSES[formula](**numbers), rel=1e-9, abs=1e-9), numbers


def test_every_key_of_these_families_has_a_witness() -> None:
    families = {family.name: family for family in read_pool()}
    numeric = {s.answer for name in FAMILIES for s in families[name].siblings if s.answer}
    cells = {part.answer for s in families["entropy_table"].siblings for part in s.lists["cells"]}
    assert numeric | cells <= WITNESSES.keys()
    assert {formula for formula, _ in computed()} == WITNESSES.keys()


def test_mistakes_that_are_no_computation_of_torchs_are_what_they_say() -> None:
    assert mixtures.mix_without_third(0.25, 0.5, 8, 4) == 4
    assert mixtures.plain_mean(1, 2, 6) == 3
    assert [mixtures.heaviest_value(*w, 7, 8, 9) for w in ((0.5, 0.3), (0.3, 0.5), (0.2, 0.3))] == [7, 8, 9]
    assert mixtures.unnormalised_of_two(3, 1, 2) == 7
    assert (mixtures.second_alone(4), mixtures.mean_of_two(4, 6), mixtures.value_itself(5), mixtures.nothing()) == (4, 5, 5, 0)
    assert mixtures.rise_in_bits(3, 9) == 2
    assert parameters.additive_on_pairs(2, 3, 4) == 2 * 4 + 3 * 4 + 4 * 4
    assert parameters.cell_with_one_bias(2, 3) == size(nn.LSTMCell(5, 3)) - nn.LSTMCell(5, 3).bias_hh.numel()
    assert parameters.growth_of_cell(3) == size(nn.LSTMCell(5, 3)) - size(nn.LSTMCell(2, 3))
    assert parameters.growth_of_one_gate(3, 5) == size(nn.RNNCell(5, 3)) - size(nn.RNNCell(2, 3)) + size(linear(3, 5))


def test_the_date_models_have_the_published_sizes() -> None:
    """Built from torch's modules: both embeddings, two LSTMs, the output; then the scorer and the wider decoder."""
    embeddings = (nn.Embedding(37, 32), nn.Embedding(14, 32))
    fixed = size(*embeddings, nn.LSTM(32, 128), nn.LSTM(32, 128), linear(128, 14, bias=True))
    scorer = (linear(128, 128), linear(128, 128), linear(128, 1))
    attentive = size(*embeddings, nn.LSTM(32, 128), *scorer, nn.LSTMCell(160, 128), linear(256, 14, bias=True))
    assert parameters.fixed_state_date_model() == fixed == 169_326
    assert parameters.attentive_date_model() == attentive == 269_550
    assert parameters.percent_more() == 59.2


def test_an_entropy_takes_shares_that_are_not_normalised_and_zeros() -> None:
    assert entropies.entropy([3.0, 3.0, 0.0]) == pytest.approx(math.log(2))
