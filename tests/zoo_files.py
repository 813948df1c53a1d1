"""What answers of the zoo hand in beside the notebook: the solved files, or what can go wrong with them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

Files = Mapping[str, bytes]


def saved(value: object) -> bytes:
    """The bytes that torch writes."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def weights_of(content: bytes) -> dict[str, Tensor]:
    """The tensors of a file of our own."""
    return dict(torch.load(io.BytesIO(content), weights_only=True))


def untrained(weights: dict[str, Tensor]) -> bytes:
    """Weights as they are before the first step."""
    generator = torch.Generator().manual_seed(1)
    return saved({name: (torch.rand(value.shape, generator=generator) - 0.5) * 0.1 for name, value in weights.items()})


def digits_renamed(weights: dict[str, Tensor]) -> bytes:
    """3 and 7 exchanged on the way in and out: the model looks where it should, and writes other dates."""
    order = torch.arange(14)
    order[[7, 11]] = order[[11, 7]]
    names = ("target_embedding.weight", "output.weight", "output.bias")
    return saved({name: value[order] if name in names else value for name, value in weights.items()})


class Runs:
    """Pickled, it would run a command where it is read carelessly."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, ("touch this_file_was_made_by_a_pickle",)


def a_module(weights: dict[str, Tensor]) -> bytes:
    """The whole module instead of its state dict."""
    return saved(nn.Linear(2, 2))


_MAKERS: Mapping[str, Callable[[dict[str, Tensor]], bytes]] = {
    "untrained weights": untrained,
    "weights with two digits renamed": digits_renamed,
    "a whole module": a_module,
    "code": lambda weights: saved({"output.bias": Runs()}),
    "a checkpoint": lambda weights: saved({"model": weights, "epoch": 25}),
    "half a file": lambda weights: saved(weights)[:300_000],
    "weights in float64": lambda weights: saved({name: value.double() for name, value in weights.items()}),
    "weights in half precision": lambda weights: saved({name: value.half() for name, value in weights.items()}),
    "smaller weights": lambda weights: saved({name: value[..., :4] for name, value in weights.items()}),
    "a list": lambda weights: saved(list(weights.values())[-1:]),
    "nothing at all": lambda weights: b"",
}


def files_beside(said: str, solved: Files) -> Files:
    """The files that the words of a docstring stand for."""
    if said == "nothing":
        return {}
    return {name: _MAKERS[said](weights_of(content)) for name, content in solved.items()} if said else solved
