"""The date task: the pairs, the split, the vocabularies, the fixed-state model, and the schedule of the rematch.

Given to you beside the notebook. Changing this file would end the comparison: the frozen curve in
`baseline_curve.json` belongs to exactly these pairs and this model.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

PAD, BOS, EOS = 0, 1, 2  # ids below 3 are taken: characters begin at 3
DATE_LENGTH = 10  # characters of 1971-05-17
SEED = 6050
EPOCHS, BATCH_SIZE, LEARNING_RATE, CLIP = 25, 128, 1e-3, 5.0
VALIDATION_SOURCES = 400  # the first unambiguous ones

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

Pair = tuple[str, str]


class Batch(NamedTuple):
    """Encoded pairs. source (B, n) and lengths (B,); target_in and target_out (B, 11): all int64."""

    source: Tensor
    lengths: Tensor
    target_in: Tensor
    target_out: Tensor


class Split(NamedTuple):
    """8,000 pairs to train on, 500 to look at, 500 that stay sealed until the end."""

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]


def draw_pair(rng: random.Random) -> Pair:
    """A date as somebody might write it, and as ISO 8601 has it."""
    month = rng.randrange(12)
    day = rng.randrange(1, DAYS[month] + 1)
    year = rng.randrange(1950, 2026)
    style = rng.random()
    if style < 0.35:
        source = f"{MONTHS[month]} {day}, {year}"
    elif style < 0.6:
        source = f"{day} {MONTHS[month]} {year}"
    elif rng.random() < 0.7:
        source = f"{month + 1:02d}/{day:02d}/{year}"
    else:
        source = f"{day:02d}/{month + 1:02d}/{year}"
    return source, f"{year:04d}-{month + 1:02d}-{day:02d}"


def draw_pairs(count: int = 9000, seed: int = SEED) -> list[Pair]:
    """Pairs in the order in which they were drawn; a source that has been seen is drawn again."""
    rng = random.Random(seed)
    pairs: dict[str, str] = {}
    while len(pairs) < count:
        source, target = draw_pair(rng)
        pairs.setdefault(source, target)
    return list(pairs.items())


def split_pairs(pairs: Sequence[Pair]) -> Split:
    """The split of the benchmark: no source stands in two parts, for no source was drawn twice."""
    return Split(list(pairs[:8000]), list(pairs[8000:8500]), list(pairs[8500:]))


def vocabulary(texts: Iterable[str]) -> dict[str, int]:
    """The characters of all texts, in order, numbered from 3."""
    return {character: number for number, character in enumerate(sorted(set("".join(texts))), start=3)}


class FixedStateDateModel(nn.Module):
    """The model that attention plays against: all that its decoder knows of the source is one final state.

    n_source and n_target count PAD, BOS and EOS.
    """

    def __init__(self, n_source: int, n_target: int, d_embed: int = 32, d_hidden: int = 128) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(n_source, d_embed, padding_idx=PAD)
        self.target_embedding = nn.Embedding(n_target, d_embed, padding_idx=PAD)
        self.encoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.decoder = nn.LSTM(d_embed, d_hidden, batch_first=True)
        self.output = nn.Linear(d_hidden, n_target)

    def summarize(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's state after the last real character of each source: (1, B, d_hidden) twice."""
        embedded = self.source_embedding(source)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        return self.encoder(packed)[1]

    def forward(self, source: Tensor, lengths: Tensor, target_in: Tensor) -> Tensor:
        """Logits (B, T, n_target) under teacher forcing: one fused call for the whole target."""
        hidden, _ = self.decoder(self.target_embedding(target_in), self.summarize(source, lengths))
        return self.output(hidden)

    def greedy_decode(self, source: Tensor, lengths: Tensor, max_len: int = 11) -> tuple[Tensor, Tensor]:
        """Tokens (B, max_len), and weights (B, max_len, n) that are all zero: this model reads nothing again."""
        state = self.summarize(source, lengths)
        previous = torch.full((source.shape[0], 1), BOS)
        tokens = []
        for _ in range(max_len):
            hidden, state = self.decoder(self.target_embedding(previous), state)
            previous = self.output(hidden).argmax(dim=-1)
            tokens.append(previous)
        return torch.cat(tokens, dim=1), torch.zeros(source.shape[0], max_len, source.shape[1])


def read_baseline_curve(folder: Path) -> dict[str, Any]:
    """The frozen curve of the fixed-state model, and on what it was made."""
    content: dict[str, Any] = json.loads((folder / "baseline_curve.json").read_text())
    return content


TrainEpoch = Callable[..., float]
ExactMatch = Callable[[nn.Module, Batch], float]


def train_schedule(
    model: nn.Module,
    train_epoch: TrainEpoch,
    exact_match: ExactMatch,
    train: Batch,
    valid: Batch,
    epochs: int = EPOCHS,
    checkpoint: Path | None = None,
) -> list[float]:
    """Train for some epochs and return the exact match on `valid` after each.

    Everything is kept in `checkpoint` after every epoch. A run that was interrupted goes on from there, and ends where it
    would have ended: the state of the random generator is kept as well.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    progress = resume(model, optimizer, checkpoint)
    began = time.monotonic()
    for epoch in range(len(progress.curve) + 1, epochs + 1):
        loss = train_epoch(model, optimizer, train, torch.default_generator, batch_size=BATCH_SIZE, clip=CLIP)
        progress.curve.append(exact_match(model, valid))
        took_s = time.monotonic() - began
        progress.told.append(f"epoch {epoch:2d} of {epochs}   loss {loss:.4f}   exact match {progress.curve[-1]:7.2%}")
        print(f"{progress.told[-1]}   {took_s:5.0f} s", flush=True)
        if checkpoint is not None:
            save_checkpoint(model, optimizer, progress, checkpoint)
    return progress.curve


class Progress(NamedTuple):
    """The exact match after each epoch so far, and what was printed about it."""

    curve: list[float]
    told: list[str]


def resume(model: nn.Module, optimizer: torch.optim.Optimizer, checkpoint: Path | None) -> Progress:
    """Put model, optimizer and generator back to the last epoch that was kept, and show what was printed up to there."""
    if checkpoint is None or not checkpoint.exists():
        return Progress([], [])
    kept = torch.load(checkpoint, weights_only=True)
    model.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    torch.set_rng_state(kept["generator"])
    progress = Progress(list(kept["curve"]), list(kept["told"]))
    print("\n".join([*progress.told, f"(kept in {checkpoint.name})"]), flush=True)
    return progress


def save_checkpoint(model: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress, checkpoint: Path) -> None:
    """Write the checkpoint beside its place first: an interrupt never leaves half a file."""
    kept = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), **progress._asdict()}
    unfinished = checkpoint.with_suffix(".part")
    torch.save(kept | {"generator": torch.get_rng_state()}, unfinished)
    unfinished.replace(checkpoint)
