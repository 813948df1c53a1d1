"""The references of m5 against computations of another kind: by hand, by loops, by finite differences, by torch's own parts."""

from __future__ import annotations

import math
import random

import pytest
import torch
from torch import Tensor

from grader_tests.m5.models import SIZES, draw_attention, draw_baseline, draw_batch, draw_model
from grader_tests.references import dates, rematch


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(5)


def test_additive_attention_by_hand() -> None:
    attention = rematch.AdditiveAttention(1, 1, 1)
    with torch.no_grad():
        for parameter, value in zip(attention.parameters(), (0.5, -1.0, 2.0), strict=True):  # W_k, W_q, v
            parameter.fill_(value)
    keys, query = [1.0, 3.0, 7.0], 0.25
    exps = [math.exp(2 * math.tanh(0.5 * key - query)) for key in keys[:2]]
    by_hand = [value / sum(exps) for value in exps]
    context, weights = attention(
        torch.tensor([[query]]), torch.tensor([[[key] for key in keys]]), torch.tensor([[True, True, False]])
    )
    assert weights[0].tolist() == pytest.approx([*by_hand, 0.0], rel=1e-6)
    assert context.item() == pytest.approx(by_hand[0] * keys[0] + by_hand[1] * keys[1], rel=1e-6)


def test_gradients_of_the_attention_by_finite_differences(generator: torch.Generator) -> None:
    attention = draw_attention(generator, 2, 3, 4).double()
    query = torch.randn(2, 2, generator=generator, dtype=torch.float64, requires_grad=True)
    keys = torch.randn(2, 4, 3, generator=generator, dtype=torch.float64, requires_grad=True)
    valid = rematch.valid_keys(torch.tensor([4, 2]), 4)
    assert torch.autograd.gradcheck(lambda q, k: attention(q, k, valid), (query, keys))


def lstm_step(x: Tensor, h: Tensor, c: Tensor, weights: tuple[Tensor, Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """A step of an LSTM by its equations: input, forget, cell and output gates, in torch's order."""
    W_x, W_h, b_x, b_h = weights
    i, f, g, o = (W_x @ x + b_x + W_h @ h + b_h).chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def test_encoding_and_a_step_by_the_equations_of_an_lstm(generator: torch.Generator) -> None:
    sizes = SIZES[0]
    model, batch = draw_model(generator, sizes), draw_batch(generator, 4, sizes)
    memory, valid, (h, c) = model.encode(batch.source, batch.lengths)
    encoder = tuple(getattr(model.encoder, name) for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"))
    for i, length in enumerate(batch.lengths.tolist()):
        own_h = own_c = torch.zeros(sizes.d_hidden)
        for t in range(length):
            own_h, own_c = lstm_step(model.source_embedding.weight[batch.source[i, t]], own_h, own_c, encoder)
            assert torch.allclose(memory[i, t], own_h, atol=1e-6)
        assert torch.allclose(torch.stack([h[i], c[i]]), torch.stack([own_h, own_c]), atol=1e-6)
        assert torch.count_nonzero(memory[i, length:]) == 0
        assert valid[i].tolist() == [t < length for t in range(batch.source.shape[1])]
    previous = batch.target_out[:, 0]
    logits, weights, (new_h, _) = model.decode_step(previous, memory, valid, (h, c))
    cell = (model.decoder.weight_ih, model.decoder.weight_hh, model.decoder.bias_ih, model.decoder.bias_hh)
    for i in range(4):
        context = sum(weights[i, j] * memory[i, j] for j in range(memory.shape[1]))
        own_h, _ = lstm_step(torch.cat([model.target_embedding.weight[previous[i]], context]), h[i], c[i], cell)
        assert torch.allclose(new_h[i], own_h, atol=1e-6)
        assert torch.allclose(logits[i], model.output(torch.cat([own_h, context])), atol=1e-5)


def test_greedy_decoding_agrees_with_teacher_forcing_on_its_own_choices(generator: torch.Generator) -> None:
    for model in (draw_model(generator, SIZES[0]), draw_baseline(generator, SIZES[0])):
        batch = draw_batch(generator, 5, SIZES[0])
        tokens, _ = model.greedy_decode(batch.source, batch.lengths, 11)
        fed = torch.cat([torch.full((5, 1), dates.BOS), tokens[:, :-1]], dim=1)
        assert torch.equal(model(batch.source, batch.lengths, fed).argmax(2), tokens)


def test_descent_steps_as_torchs_own(generator: torch.Generator) -> None:
    batch, model = draw_batch(generator, 5, SIZES[0]), draw_baseline(generator, SIZES[0])
    other = rematch.FixedStateDateModel(*SIZES[0])
    other.load_state_dict(model.state_dict())
    for trained, optimizer in ((model, rematch.Descent(model, 0.5)), (other, torch.optim.SGD(other.parameters(), lr=0.5))):
        rematch.train_epoch(trained, optimizer, batch, torch.Generator().manual_seed(3), 2)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_an_epoch_by_hand(generator: torch.Generator) -> None:
    sizes = SIZES[0]
    batch, model, other = draw_batch(generator, 7, sizes), draw_baseline(generator, sizes), rematch.FixedStateDateModel(*sizes)
    other.load_state_dict(model.state_dict())
    order = torch.randperm(7, generator=torch.Generator().manual_seed(3)).tolist()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    epoch = rematch.train_epoch(model, optimizer, batch, torch.Generator().manual_seed(3), 3, 0.2)
    losses = []
    for chosen in (order[:3], order[3:6], order[6:]):
        log_p = other(batch.source[chosen], batch.lengths[chosen], batch.target_in[chosen]).log_softmax(2)
        loss = -log_p.gather(2, batch.target_out[chosen][:, :, None]).mean()
        gradients = torch.autograd.grad(loss, list(other.parameters()))
        norm = torch.sqrt(sum((g**2).sum() for g in gradients))
        with torch.no_grad():
            for parameter, gradient in zip(other.parameters(), gradients, strict=True):
                parameter -= 0.5 * gradient * min(1.0, 0.2 / norm)
        losses.append(loss.item())
    assert epoch.over_batches == pytest.approx(sum(losses) / 3, rel=1e-5)
    assert epoch.over_examples == pytest.approx((3 * losses[0] + 3 * losses[1] + losses[2]) / 7, rel=1e-5)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_the_mass_on_the_year_by_loops(generator: torch.Generator) -> None:
    lengths = torch.tensor([9, 4, 6])
    weights = torch.rand(3, 11, 9, generator=generator)
    rows = [weights[i, row, n - 4 : n].sum().item() for i, n in enumerate(lengths.tolist()) for row in range(4)]
    assert rematch.year_region_mass(weights, lengths) == pytest.approx(sum(rows) / len(rows), rel=1e-6)


def test_encoded_pairs_can_be_read_back() -> None:
    rng = random.Random(4)
    pairs = [dates.draw_pair(rng) for _ in range(50)]
    ids = [dates.number_characters(part) for part in zip(*pairs, strict=True)]
    letters = [{number: character for character, number in known.items()} for known in ids]
    batch = dates.encode(pairs, *ids)
    for row, length, told, said, pair in zip(*batch, pairs, strict=True):
        assert "".join(letters[0][n] for n in row[: int(length)].tolist()) == pair[0]
        assert "".join(letters[1][n] for n in said[:-1].tolist()) == pair[1]
        assert told.tolist() == [dates.BOS, *said[:-1].tolist()]
        assert not bool(row[int(length) :].any())


def test_a_date_is_ambiguous_where_both_its_readings_are_dates() -> None:
    for first in range(1, 32):
        for second in range(1, 32):
            both = first <= 12 and second <= 12
            assert dates.is_unambiguous(f"{first:02d}/{second:02d}/1999") is not both
    assert dates.is_unambiguous("1 may 1999")
    assert dates.is_unambiguous("may 1, 1999")
