"""What the checks of m5 share: models with drawn weights on both sides of the pipe, and batches of unequal lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from grader_tests.references.dates import PAD, Encoded
from grader_tests.references.rematch import AdditiveAttention, AttentiveDateModel, FixedStateDateModel
from grading.checks import CheckFailed
from grading.expectations import close, describe, expect, expect_close
from grading.student import Kept, Reply, Student

MODEL = "AttentiveDateModel"
Module = TypeVar("Module", bound=nn.Module)
Decoder = TypeVar("Decoder", AttentiveDateModel, FixedStateDateModel)


class Sizes(NamedTuple):
    """Sizes of one date model; no two are equal."""

    n_source: int
    n_target: int
    d_embed: int
    d_hidden: int


SIZES = (Sizes(11, 8, 5, 6), Sizes(9, 13, 7, 4))
WIDTHS = ("source_embedding.weight", "decoder.weight_hh")  # their second axes: d_embed and d_hidden
WIDEST = 256
# A tie between two tokens is decided by rounding; a gap of 1e-4 is 1,000 times what right orders of operation differ by here.
DECIDED = 1e-4
# Of a standard normal, by part of the name: attentions that are no mean, and tokens that depend on what was read and fed. States
# are neither nearly linear nor saturated.
SPREADS = {"v.weight": 2.0, "embedding": 1.2, "output.weight": 2.0, "output.bias": 0.3}


def drawn(make: Callable[[], Module], generator: torch.Generator) -> Module:
    """A module whose weights are drawn from `generator`; the global generator stays where it was."""
    with torch.random.fork_rng(devices=[]):
        module = make()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            spread = next((value for part, value in SPREADS.items() if part in name), 0.6)
            wide = max(1.0, parameter.shape[-1] / 16)  # a wide model is drawn to behave like a narrow one
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * spread / wide**0.5)
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
    """Put the reference's weights into the student's module, as far as they fit.

    A parameter that is missing or of another shape costs its own points, and what is computed with it; nothing else. One
    that should not be there becomes zero: a bias that is too many is judged as a bias, and not in every value.
    """
    found = student.ask(f"{path}.state_dict").value
    expect(isinstance(found, dict), "a module without a state dict", "an nn.Module")
    wanted, own = reference.state_dict(), {name: value for name, value in found.items() if isinstance(value, Tensor)}
    fitting = {name: value for name, value in wanted.items() if name in own and own[name].shape == value.shape}
    extra = {name: torch.zeros_like(value) for name, value in own.items() if name not in wanted}
    student.ask(f"{path}.load_state_dict", {**fitting, **extra}, strict=False)


def built(student: Student, sizes: Sizes) -> Sizes:
    """Build the student's model, kept as `model`; its sizes, for widths that ignore the arguments cost their own points."""
    student.ask(MODEL, *sizes, keep="model")
    found = student.ask("model.state_dict").value
    expect(isinstance(found, dict), "a module without a state dict", "an nn.Module")
    tables = [found[name] for name in WIDTHS if isinstance(found.get(name), Tensor)]
    if len(tables) < 2 or any(table.ndim != 2 or not 0 < table.shape[1] <= WIDEST for table in tables):
        return sizes
    return sizes._replace(d_embed=tables[0].shape[1], d_hidden=tables[1].shape[1])


def give_model(student: Student, generator: torch.Generator, sizes: Sizes) -> tuple[AttentiveDateModel, Sizes]:
    """Build the student's model, kept as `model`, with the weights of the reference; that one, and the sizes of both."""
    sizes = built(student, sizes)
    reference = draw_model(generator, sizes)
    give_weights(student, "model", reference)
    return reference, sizes


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


def draw_telling(
    generator: torch.Generator, make: Callable[[torch.Generator], tuple[Decoder, Encoded]], max_len: int = 11
) -> tuple[Decoder, Encoded]:
    """A model and a batch whose greedy choices are no ties, and tell greedy decoding from other ways to decode: every example
    is decoded to something else, and most to something else than under their `target_in`."""
    while True:
        model, batch = make(generator)
        tokens, _ = model.greedy_decode(batch.source, batch.lengths, max_len)
        fed = torch.cat([torch.ones_like(tokens[:, :1]), tokens[:, :-1]], dim=1)
        best = model(batch.source, batch.lengths, fed).detach().topk(2, dim=2).values
        forced = model(batch.source, batch.lengths, batch.target_in).argmax(2)
        decided = bool((best[:, :, 0] - best[:, :, 1] > DECIDED).all())
        unlike = int((forced != tokens)[:, :10].any(dim=1).sum())
        if decided and len(set(map(tuple, tokens[:, :10].tolist()))) == len(tokens) and 2 * unlike > len(tokens):
            return model, batch


def alone(batch: Encoded, i: int) -> Encoded:
    """One example of a batch, as wide as it is long."""
    one = Encoded(*(part[i : i + 1] for part in batch))
    return one._replace(source=one.source[:, : int(one.lengths)])


def alike(found: Tensor, wanted: Tensor, tolerance: float) -> bool:
    """Whether two tensors agree, NaN in the same places included: an attention that gives NaN has paid for it already."""
    same_places = found.shape == wanted.shape and torch.equal(found.isnan(), wanted.isnan())
    return same_places and close(found.nan_to_num(), wanted.nan_to_num(), tolerance)


def expect_alike(found: Tensor, wanted: Tensor, what: str, tolerance: float) -> None:
    """Agreement with something of the student's own, NaN in the same places included."""
    if not alike(found, wanted, tolerance):
        expect_close(found, wanted, what, tolerance=tolerance)
        raise CheckFailed(f"{what}: NaN in other places", "agreement")


def expect_unchanged(reply: Reply, name: str) -> None:
    """No argument changed. A draw from the global generator is not looked for: the values show it where it matters."""
    expect(not reply.changed, f"`{name}` changed one of its arguments in place", "arguments left as they are")


def expect_parts(value: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """As many things as there are names, in a tuple or list."""
    if not isinstance(value, (tuple, list)) or len(value) != len(names):
        raise CheckFailed(f"the result is {describe(value)}", f"{len(names)} things: {', '.join(names)}, in this order")
    return tuple(value)
