"""Checks of how `AttentiveDateModel` is built."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from grader_tests.m5.models import MODEL, SIZES, Sizes
from grader_tests.references.dates import PAD
from grader_tests.references.rematch import AdditiveAttention, AttentiveDateModel
from grading.checks import CheckFailed, check
from grading.expectations import close, expect
from grading.student import GOING_ON, Student, StudentFault

FULL = Sizes(37, 14, 32, 128)
# On one machine both sides draw the same numbers; between sets of instructions they differ by 2e-6.
DRAWN = 1e-5


def read_state(student: Student, path: str) -> dict[str, Any]:
    """A module's state dict."""
    found = student.ask(f"{path}.state_dict").value
    expect(isinstance(found, dict), "a module without a state dict", "an nn.Module")
    state: dict[str, Any] = found
    return state


@check(
    "model_parameters",
    cell=MODEL,
    points=1,
    uses=(MODEL, "AdditiveAttention"),
    about="names and shapes of the parameters, with the default widths and with others",
)
def model_parameters(student: Student, generator: torch.Generator) -> None:
    """Of the attention only that it is there: its parameters have points of their own."""
    for given, sizes in (((37, 14), FULL), (SIZES[0], SIZES[0])):
        student.ask(MODEL, *given, keep="model")
        found = read_state(student, "model")
        with torch.random.fork_rng(devices=[]):
            expected = AttentiveDateModel(*sizes).state_dict()
        shapes = {name: tuple(value.shape) if isinstance(value, Tensor) else None for name, value in found.items()}
        own = {name: tuple(value.shape) for name, value in expected.items() if not name.startswith("attention.")}
        missing = [f"{name} {shape}" for name, shape in own.items() if shapes.get(name) != shape]
        expect(not missing, "parameters that are missing or have another shape", f"among the parameters: {', '.join(missing)}")
        extra = sum(name not in own and not str(name).startswith("attention.") for name in shapes)
        expect(not extra, f"{extra} parameters that are not asked for", "269,550 parameters at 37 and 14, and no others")
        expect_attention(student, shapes, sizes)


def expect_attention(student: Student, shapes: dict[str, Any], sizes: Sizes) -> None:
    """The parameters of the student's own AdditiveAttention, or the reference's, under the name `attention`."""
    try:
        student.ask("AdditiveAttention", *[sizes.d_hidden] * 3, keep="scorer")
        own = read_state(student, "scorer")
    except (StudentFault, CheckFailed):
        own = {"W_k.weight": None, "W_q.weight": None, "v.weight": None}
    there = all(f"attention.{name}" in shapes for name in own)
    expect(there, "a model without the parameters of `attention`", "an AdditiveAttention of that name")


@check(
    "model_order",
    cell=MODEL,
    points=1,
    uses=(MODEL, "AdditiveAttention"),
    about="the modules built in the given order, so that under one seed each gets the published run's random numbers",
)
def model_order(student: Student, generator: torch.Generator) -> None:
    """As the reference draws; after the attention also from where the student's own attention leaves the generator."""
    sizes = SIZES[0]
    seed = int(torch.randint(1, 2**31, (1,), generator=generator))
    student.ask(MODEL, *sizes, keep="model", seed=seed)
    found = read_state(student, "model")
    for name in ("source_embedding.weight", "target_embedding.weight"):
        value = found.get(name)
        unpadded = isinstance(value, Tensor) and value.ndim == 2 and bool((value[PAD] != 0).any())
        expect(not unpadded, f"a row of numbers for PAD in {name}", "zeros there", "nn.Embedding has an argument padding_idx")
    before, state = drawn_before(sizes, seed)
    after, _ = drawn_after(sizes, state_after_reference(sizes, state))
    expect(agree(found, before), *UNLIKE)
    if not agree(found, after):
        expect(agree(found, drawn_after(sizes, state_after_own(student, sizes, state))[0]), *UNLIKE)


UNLIKE = (
    "under a seed some modules get other random numbers than the published run's",
    "source_embedding, target_embedding, encoder, attention, decoder, output, built in this order",
    "the modules draw their first weights in the order in which you build them; a module that is built and thrown away draws too",
)


def agree(found: dict[str, Any], expected: dict[str, Tensor]) -> bool:
    """Whether every expected entry is there."""
    return all(isinstance(found.get(name), Tensor) and close(found[name], value, DRAWN) for name, value in expected.items())


def drawn_before(sizes: Sizes, seed: int) -> tuple[dict[str, Tensor], Tensor]:
    """What is built before the attention, under a seed, and the generator's state after it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parts = {
            "source_embedding": nn.Embedding(sizes.n_source, sizes.d_embed, padding_idx=PAD),
            "target_embedding": nn.Embedding(sizes.n_target, sizes.d_embed, padding_idx=PAD),
            "encoder": nn.LSTM(sizes.d_embed, sizes.d_hidden),
        }
        return dict(nn.ModuleDict(parts).state_dict()), torch.get_rng_state()


def drawn_after(sizes: Sizes, state: Tensor) -> tuple[dict[str, Tensor], Tensor]:
    """What is built after the attention, from a state of the generator, and the state after it."""
    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(state)
        parts = {
            "decoder": nn.LSTMCell(sizes.d_embed + sizes.d_hidden, sizes.d_hidden),
            "output": nn.Linear(2 * sizes.d_hidden, sizes.n_target),
        }
        return dict(nn.ModuleDict(parts).state_dict()), torch.get_rng_state()


def state_after_reference(sizes: Sizes, state: Tensor) -> Tensor:
    """Where the reference's attention leaves the generator."""
    with torch.random.fork_rng(devices=[]):
        torch.set_rng_state(state)
        AdditiveAttention(sizes.d_hidden, sizes.d_hidden, sizes.d_hidden)
        return torch.get_rng_state()


def state_after_own(student: Student, sizes: Sizes, state: Tensor) -> Tensor:
    """Where the student's own attention leaves the generator on their side; testimony, for this one point."""
    try:
        student.ask("torch.set_rng_state", state)
        student.ask("AdditiveAttention", *[sizes.d_hidden] * 3, seed=GOING_ON)
        left = student.ask("torch.get_rng_state", seed=GOING_ON).value
    except StudentFault as fault:
        raise CheckFailed(*UNLIKE) from fault
    if not isinstance(left, Tensor) or left.dtype != torch.uint8 or left.shape != state.shape:
        raise CheckFailed(*UNLIKE)
    return left
