"""What the checks of m5 share: models with drawn weights on both sides of the pipe, and batches of unequal lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from grader_tests.references.dates import PAD, Encoded
from grader_tests.references.rematch import AdditiveAttention, AttentiveDateModel, DateModel, FixedStateDateModel
from grading.checks import CheckFailed
from grading.expectations import describe, expect
from grading.student import Kept, Student

MODEL = "AttentiveDateModel"
Module = TypeVar("Module", bound=nn.Module)


class Sizes(NamedTuple):
    """Sizes of one date model; no two are equal."""

    n_source: int
    n_target: int
    d_embed: int
    d_hidden: int


SIZES = (Sizes(11, 8, 5, 6), Sizes(9, 13, 7, 4))
# A tie between two tokens is decided by rounding; a gap of 1e-4 is 1,000 times what right orders of operation differ by here.
DECIDED = 1e-4


def drawn(make: Callable[[], Module], generator: torch.Generator) -> Module:
    """A module whose weights are drawn from `generator`; the global generator stays where it was.

    Half the spread of a standard normal: states are neither nearly linear nor saturated, and weights of an attention differ.
    """
    with torch.random.fork_rng(devices=[]):
        module = make()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            spread = 2.0 if name.endswith("v.weight") else 0.5
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * spread)
            if name.endswith("embedding.weight"):
                parameter[PAD] = 0.0
    return module


def draw_attention(generator: torch.Generator, d_q: int, d_k: int, d_a: int) -> AdditiveAttention:
    """A reference attention with drawn weights."""
    return drawn(lambda: AdditiveAttention(d_q, d_k, d_a), generator)


def draw_model(generator: torch.Generator, sizes: Sizes) -> AttentiveDateModel:
    """A reference model with drawn weights."""
    return drawn(lambda: AttentiveDateModel(*sizes), generator)


def draw_baseline(generator: torch.Generator, sizes: Sizes) -> FixedStateDateModel:
    """The given model with drawn weights."""
    return drawn(lambda: FixedStateDateModel(*sizes), generator)


def give_weights(student: Student, path: str, reference: nn.Module) -> None:
    """Put the reference's weights into the student's module. Parameters that it should not have become zero: a bias that is
    too many costs its own points and no others."""
    found = student.ask(f"{path}.state_dict").value
    expect(isinstance(found, dict), "a module without a state dict", "an nn.Module")
    wanted = reference.state_dict()
    fits = {name: isinstance(found.get(name), Tensor) and found[name].shape == value.shape for name, value in wanted.items()}
    wrong = ", ".join(f"{name} {tuple(wanted[name].shape)}" for name, fit in fits.items() if not fit)
    expect(not wrong, "parameters that weights cannot be put into", f"among the parameters: {wrong}")
    extra = {name: torch.zeros_like(value) for name, value in found.items() if name not in wanted and isinstance(value, Tensor)}
    student.ask(f"{path}.load_state_dict", {**wanted, **extra})


def give_model(student: Student, generator: torch.Generator, sizes: Sizes) -> AttentiveDateModel:
    """Build the student's model, kept as `model`, with the weights of the reference that is returned."""
    reference = draw_model(generator, sizes)
    student.ask(MODEL, *sizes, keep="model")
    give_weights(student, "model", reference)
    return reference


def give_baseline(student: Student, reference: FixedStateDateModel, sizes: Sizes) -> None:
    """Build the given model on the student's side, kept as `baseline`."""
    student.ask("date_task.FixedStateDateModel", *sizes, keep="baseline")
    give_weights(student, "baseline", reference)


def give_batch(student: Student, batch: Encoded) -> Kept:
    """The given `Batch` on the student's side."""
    student.ask("date_task.Batch", *batch, keep="batch")
    return Kept("batch")


def draw_sources(generator: torch.Generator, lengths: Tensor, width: int, n_source: int) -> Tensor:
    """(B, width): characters from 3, PAD behind each length."""
    source = torch.randint(3, n_source, (len(lengths), width), generator=generator)
    return source.masked_fill(torch.arange(width) >= lengths[:, None], PAD)


def draw_batch(generator: torch.Generator, B: int, sizes: Sizes, width: int = 7) -> Encoded:
    """Sources of unsorted, unequal lengths, one of them full, one of a single character; targets of eleven tokens without PAD."""
    lengths = torch.cat([torch.tensor([width, 1]), torch.randint(2, width, (B - 2,), generator=generator)])
    lengths = lengths[torch.randperm(B, generator=generator)]
    targets = torch.randint(3, sizes.n_target, (B, 10), generator=generator)
    edge = torch.ones(B, 1, dtype=torch.int64)
    source = draw_sources(generator, lengths, width, sizes.n_source)
    return Encoded(source, lengths, torch.cat([edge, targets], dim=1), torch.cat([targets, 2 * edge], dim=1))


def draw_decided(
    generator: torch.Generator, make: Callable[[torch.Generator], tuple[DateModel, Encoded]], max_len: int
) -> tuple[DateModel, Encoded]:
    """A model and a batch for which no greedy choice is nearly a tie. One draw in a hundred is thrown away."""
    while True:
        model, batch = make(generator)
        tokens, _ = model.greedy_decode(batch.source, batch.lengths, max_len)
        fed = torch.cat([torch.ones_like(tokens[:, :1]), tokens[:, :-1]], dim=1)
        best = model(batch.source, batch.lengths, fed).detach().topk(2, dim=2).values
        if bool((best[:, :, 0] - best[:, :, 1] > DECIDED).all()):
            return model, batch


def alone(batch: Encoded, i: int) -> Encoded:
    """One example of a batch, as wide as it is long."""
    one = Encoded(*(part[i : i + 1] for part in batch))
    return one._replace(source=one.source[:, : int(one.lengths)])


def expect_parts(value: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """As many things as there are names, in a tuple or list."""
    if not isinstance(value, (tuple, list)) or len(value) != len(names):
        raise CheckFailed(f"the result is {describe(value)}", f"{len(names)} things: {', '.join(names)}, in this order")
    return tuple(value)


def known_mistake(found: Tensor, mistakes: Mapping[str, Tensor], same: Callable[[Tensor, Tensor], bool]) -> str:
    """The name of the first mistake that a value equals, or nothing."""
    return next((name for name, wrong in mistakes.items() if same(found, wrong)), "")
