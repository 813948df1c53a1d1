"""The attentive date model by its definition, the given fixed-state model, and how both are trained and judged.

Every module has the parameters that assignments agree on, so that weights pass from one side to the other by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from grader_tests.references.dates import BOS, PAD, Encoded

State = tuple[Tensor, Tensor]


class AdditiveAttention(nn.Module):
    """v . tanh(W_k key + W_q query) over real keys; the values are the keys."""

    def __init__(self, d_q: int, d_k: int, d_a: int) -> None:
        super().__init__()
        self.W_k = nn.Linear(d_k, d_a, bias=False)
        self.W_q = nn.Linear(d_q, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """(B, n) of (B, d_q) and (B, n, d_k)."""
        mixed: Tensor = self.v(torch.tanh(self.W_k(keys) + self.W_q(query)[:, None, :]))
        return mixed[:, :, 0]

    def forward(self, query: Tensor, keys: Tensor, key_is_valid: Tensor) -> tuple[Tensor, Tensor]:
        """Context (B, d_k) and weights (B, n)."""
        weights = self.scores(query, keys).masked_fill(~key_is_valid, -torch.inf).softmax(dim=1)
        return mix(weights, keys), weights


def mix(weights: Tensor, keys: Tensor) -> Tensor:
    """(B, n), (B, n, d): the weighted sum (B, d)."""
    return torch.einsum("bn,bnd->bd", weights, keys)


class AttentiveDateModel(nn.Module):
    """An encoder LSTM whose states are read at every step of the decoder."""

    def __init__(self, n_source: int, n_target: int, d_embed: int = 32, d_hidden: int = 128) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_embed, padding_idx=PAD)
        self.target_embedding = nn.Embedding(n_target, d_embed, padding_idx=PAD)
        self.encoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.attention = AdditiveAttention(d_hidden, d_hidden, d_hidden)
        self.decoder = nn.LSTMCell(d_embed + d_hidden, d_hidden)
        self.output = nn.Linear(2 * d_hidden, n_target)

    def encode(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, State]:
        """Memory (B, n, d), bool (B, n), and the states after the last real character."""
        packed = nn.utils.rnn.pack_padded_sequence(self.source_embedding(source), lengths, batch_first=True, enforce_sorted=False)
        outputs, (h, c) = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=source.shape[1])
        return memory, valid_keys(lengths, source.shape[1]), (h[0], c[0])

    def decode_step(self, previous: Tensor, memory: Tensor, key_is_valid: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """Logits (B, n_target), weights (B, n), and the next state."""
        context, weights = self.attention(state[0], memory, key_is_valid)
        return self.finish_step(previous, context, weights, state)

    def finish_step(self, previous: Tensor, context: Tensor, weights: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """The rest of a step, once it is known what was read."""
        state = self.decoder(torch.cat([self.target_embedding(previous), context], dim=1), state)
        return self.output(torch.cat([state[0], context], dim=1)), weights, state

    def forward(self, source: Tensor, lengths: Tensor, target_in: Tensor) -> Tensor:
        """Logits (B, T, n_target) under teacher forcing."""
        memory, key_is_valid, state = self.encode(source, lengths)
        logits = []
        for previous in target_in.unbind(dim=1):
            one, _, state = self.decode_step(previous, memory, key_is_valid, state)
            logits.append(one)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def greedy_decode(self, source: Tensor, lengths: Tensor, max_len: int = 11) -> tuple[Tensor, Tensor]:
        """Tokens (B, max_len) and weights (B, max_len, n), each step fed with the best token of the one before."""
        memory, key_is_valid, state = self.encode(source, lengths)
        previous = torch.full_like(lengths, BOS)
        tokens, rows = [], []
        for _ in range(max_len):
            logits, weights, state = self.decode_step(previous, memory, key_is_valid, state)
            previous = logits.argmax(dim=1)
            tokens.append(previous)
            rows.append(weights)
        return torch.stack(tokens, dim=1), torch.stack(rows, dim=1)


def valid_keys(lengths: Tensor, width: int) -> Tensor:
    """Bool (B, width), True where a source has a character."""
    return torch.arange(width) < lengths[:, None]


class FixedStateDateModel(nn.Module):
    """The given baseline: its decoder knows the final state of the encoder and nothing else."""

    def __init__(self, n_source: int, n_target: int, d_embed: int = 32, d_hidden: int = 128) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_embed, padding_idx=PAD)
        self.target_embedding = nn.Embedding(n_target, d_embed, padding_idx=PAD)
        self.encoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.decoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.output = nn.Linear(d_hidden, n_target)

    def summarize(self, source: Tensor, lengths: Tensor) -> State:
        """The final states, (1, B, d_hidden) each."""
        packed = nn.utils.rnn.pack_padded_sequence(self.source_embedding(source), lengths, batch_first=True, enforce_sorted=False)
        state: State = self.encoder(packed)[1]
        return state

    def forward(self, source: Tensor, lengths: Tensor, target_in: Tensor) -> Tensor:
        """Logits (B, T, n_target) under teacher forcing."""
        logits: Tensor = self.output(self.decoder(self.target_embedding(target_in), self.summarize(source, lengths))[0])
        return logits

    @torch.no_grad()
    def greedy_decode(self, source: Tensor, lengths: Tensor, max_len: int = 11) -> tuple[Tensor, Tensor]:
        """Tokens (B, max_len), and weights of zero."""
        state, previous, tokens = self.summarize(source, lengths), torch.full((len(lengths), 1), BOS), []
        for _ in range(max_len):
            hidden, state = self.decoder(self.target_embedding(previous), state)
            previous = self.output(hidden).argmax(dim=2)
            tokens.append(previous)
        return torch.cat(tokens, dim=1), torch.zeros(len(lengths), max_len, source.shape[1])


class DateModel(Protocol):
    """What the two models have in common."""

    def __call__(self, source: Tensor, lengths: Tensor, target_in: Tensor) -> Tensor:
        """Logits under teacher forcing."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """All parameters."""

    def greedy_decode(self, source: Tensor, lengths: Tensor, max_len: int = 11) -> tuple[Tensor, Tensor]:
        """Tokens and weights."""


class Epoch(NamedTuple):
    """The two mean losses that are both right, and the norm of the gradient at each step before it was clipped."""

    over_batches: float
    over_examples: float
    norms: tuple[float, ...]


def token_loss(model: DateModel, batch: Encoded) -> Tensor:
    """The mean cross entropy over all target positions."""
    logits = model(batch.source, batch.lengths, batch.target_in)
    return functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten())


class Optimizer(Protocol):
    """What an epoch needs of an optimizer, torch's or another."""

    def zero_grad(self) -> None:
        """Forget the gradients."""

    def step(self) -> Any:
        """Update the parameters."""


class Descent:
    """Gradient descent, as `torch.optim.SGD` has it, which would import torch's compiler first: 0.7 s of a worker's time."""

    def __init__(self, model: nn.Module, rate: float) -> None:
        self._model, self._rate = model, rate

    def zero_grad(self) -> None:
        """Forget the gradients."""
        self._model.zero_grad()

    @torch.no_grad()
    def step(self) -> None:
        """Take the gradients, times the rate, off the parameters."""
        for parameter in self._model.parameters():
            if parameter.grad is not None:
                parameter.add_(parameter.grad, alpha=-self._rate)


def train_epoch(
    model: DateModel,
    optimizer: Optimizer,
    batch: Encoded,
    generator: torch.Generator,
    batch_size: int = 128,
    clip: float = 5.0,
) -> Epoch:
    """One pass in the order of `torch.randperm`; the last batch may be smaller."""
    order = torch.randperm(len(batch.lengths), generator=generator)
    losses, sizes, norms = [], [], []
    for chosen in torch.split(order, batch_size):
        loss = token_loss(model, Encoded(*(part[chosen] for part in batch)))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norms.append(float(nn.utils.clip_grad_norm_(model.parameters(), clip)))
        optimizer.step()
        losses.append(loss.item())
        sizes.append(len(chosen))
    weighted = sum(loss * size for loss, size in zip(losses, sizes, strict=True)) / sum(sizes)
    return Epoch(sum(losses) / len(losses), weighted, tuple(norms))


def exact_match(model: DateModel, batch: Encoded) -> float:
    """The share of targets of which all ten characters are decoded."""
    tokens, _ = model.greedy_decode(batch.source, batch.lengths)
    return float((tokens[:, :10] == batch.target_out[:, :10]).all(dim=1).double().mean())


def year_region_mass(weights: Tensor, lengths: Tensor) -> float:
    """(B, T, n), (B,): the mean weight of the first four rows on the last four real positions."""
    positions = torch.arange(weights.shape[2])
    inside = (positions >= lengths[:, None] - 4) & (positions < lengths[:, None])
    return float((weights[:, :4].double() * inside[:, None]).sum(dim=2).mean())
