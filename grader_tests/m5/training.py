"""Checks of `train_epoch`, on the given model: a wrong model of the student's costs nothing here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from grader_tests.m5.models import Sizes, draw_baseline, draw_batch, give_baseline, give_batch
from grader_tests.references import rematch
from grader_tests.references.dates import Encoded
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect, expect_tensor
from grading.student import Kept, Seeded, Student

SIZES = Sizes(11, 8, 5, 6)
NAMES = ("train_epoch", "date_task")
LOSS_TOLERANCE = 2e-5  # float32: a mean of some hundred losses, after up to three steps
STEP_TOLERANCE = 1e-4  # float32: gradients are sums over all positions; compared on the scale of each parameter's largest
RATE = 1.0  # one SGD step of this rate takes the clipped gradient off the weights, so that it can be read


class Run(NamedTuple):
    """One epoch on the student's side: what it returned, and the weights afterwards."""

    loss: float
    weights: Mapping[str, Tensor]


class Setting(NamedTuple):
    """What an epoch is run with."""

    batch_size: int
    clip: float
    seed: int
    rate: float = RATE


def as_number(value: Any, what: str) -> float:
    """A float; a 0-d tensor is one too."""
    if isinstance(value, Tensor) and value.ndim == 0 and not value.is_complex():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CheckFailed(f"{what} as {describe(value)}", "a float")
    return float(value)


def run_epoch(student: Student, baseline: rematch.FixedStateDateModel, batch: Encoded, setting: Setting) -> Run:
    """Let the student's `train_epoch` train the given model from the weights of `baseline`."""
    give_baseline(student, baseline, SIZES)
    student.ask("baseline.parameters", keep="parameters")
    student.ask("torch.optim.SGD", Kept("parameters"), lr=setting.rate, keep="optimizer")
    given = (Kept("baseline"), Kept("optimizer"), give_batch(student, batch), Seeded(setting.seed))
    loss = as_number(student.ask("train_epoch", *given, batch_size=setting.batch_size, clip=setting.clip).value, "the mean loss")
    found = student.ask("baseline.state_dict").value
    shapes = {name: tuple(value.shape) for name, value in baseline.state_dict().items()}
    return Run(loss, {name: expect_tensor(found.get(name), shape, name).detach() for name, shape in shapes.items()})


def expected_epoch(
    baseline: rematch.FixedStateDateModel, batch: Encoded, setting: Setting
) -> tuple[rematch.Epoch, Mapping[str, Tensor]]:
    """The same by the reference."""
    model = copied(baseline)
    optimizer = rematch.Descent(model, setting.rate)
    order = torch.Generator().manual_seed(setting.seed)
    epoch = rematch.train_epoch(model, optimizer, batch, order, setting.batch_size, setting.clip)
    return epoch, dict(model.state_dict())


def copied(baseline: rematch.FixedStateDateModel) -> rematch.FixedStateDateModel:
    """Another model with the same weights."""
    with torch.random.fork_rng(devices=[]):
        model = rematch.FixedStateDateModel(*SIZES)
    model.load_state_dict(baseline.state_dict())
    return model


def moved(before: Mapping[str, Tensor], after: Mapping[str, Tensor]) -> Tensor:
    """What was taken off the weights, as one vector."""
    return torch.cat([(before[name] - after[name]).flatten() for name in before])


def same_move(found: Tensor, right: Tensor) -> bool:
    """Whether two vectors of differences are the same, on the scale of the largest entry.

    Weights up to 2 are known to 1e-7, and so are differences between them.
    """
    return bool(((found - right).abs() <= STEP_TOLERANCE * right.abs().max() + 1e-6).all())


def mistaken_moves(baseline: rematch.FixedStateDateModel, batch: Encoded, clip: float) -> Mapping[str, Tensor]:
    """One step of rate 1 by known mistakes."""

    def step(loss_of: Callable[[nn.Module], Tensor], limit: Callable[[nn.Module], object]) -> Tensor:
        model = copied(baseline)
        loss_of(model).backward()  # type: ignore[no-untyped-call]
        limit(model)
        return torch.cat([parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None])

    def clipped(model: nn.Module) -> object:
        return nn.utils.clip_grad_norm_(model.parameters(), clip)

    def loss(model: nn.Module, **options: Any) -> Tensor:
        logits = model(batch.source, batch.lengths, batch.target_in)
        return functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), **options)

    def softmaxed(model: nn.Module) -> Tensor:
        logits = model(batch.source, batch.lengths, batch.target_in).softmax(2)
        return functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten())

    return {
        "the gradient is not clipped, or only after the step": step(loss, lambda model: None),
        "each entry is clipped; it should be the total norm (clip_grad_norm_)": step(
            loss, lambda model: nn.utils.clip_grad_value_(model.parameters(), clip)
        ),
        "the loss is a sum; it should be the mean over all positions": step(lambda m: loss(m, reduction="sum"), clipped),
        "EOS is left out of the loss": step(lambda m: loss(m, ignore_index=2), clipped),
        "there is a softmax before the cross entropy, which takes logits": step(softmaxed, clipped),
    }


def gradient_norm(baseline: rematch.FixedStateDateModel, batch: Encoded) -> float:
    """The norm of the gradient before it is clipped."""
    return expected_epoch(baseline, batch, Setting(len(batch.lengths), 1e9, 1))[0].norms[0]


@check(
    "train_step",
    cell="train_epoch",
    points=1,
    uses=NAMES,
    about="one step on the given model: the loss, and the gradient clipped before the step",
)
def train_step(student: Student, generator: torch.Generator) -> None:
    """A gradient that is shorter than the clip, then one that is longer."""
    for share in (20.0, 0.05):
        baseline, batch = draw_baseline(generator, SIZES), draw_batch(generator, 6, SIZES)
        clip = share * gradient_norm(baseline, batch)
        setting = Setting(9, clip, 3)
        run = run_epoch(student, baseline, batch, setting)
        epoch, weights = expected_epoch(baseline, batch, setting)
        before = dict(baseline.state_dict())
        found, right = moved(before, run.weights), moved(before, weights)
        if not same_move(found, right):
            mistakes = mistaken_moves(baseline, batch, clip).items()
            known = next((name for name, wrong in mistakes if same_move(found, wrong)), "")
            came = f"one step moved the weights by {float(found.norm()):.3g}"
            expect(False, came, f"the gradient of the mean loss, clipped to a norm of {clip:.3g}", known)
        expect_loss(run.loss, epoch, "one step")


def expect_loss(found: float, epoch: rematch.Epoch, what: str) -> None:
    """The mean over batches, or over examples."""
    right = (epoch.over_batches, epoch.over_examples)
    near = any(abs(found - loss) <= LOSS_TOLERANCE * (1 + loss) for loss in right)
    gap = min(abs(found - loss) for loss in right)
    expect(near, f"a loss over {what} that differs by {gap:.2g}", "the mean cross entropy over batches, or over examples")


@check(
    "train_steps",
    cell="train_epoch",
    points=0.5,
    uses=NAMES,
    about="three steps in the order of `torch.randperm`, the last batch smaller, gradients from zero at each",
)
def train_steps(student: Student, generator: torch.Generator) -> None:
    """Any order but the right one ends at other weights."""
    baseline, batch = draw_baseline(generator, SIZES), draw_batch(generator, 11, SIZES)
    seed = int(torch.randint(1, 2**31, (1,), generator=generator))
    # A step of rate 1 and norm 0.3: three of them stay where the loss is smooth.
    setting = Setting(4, 0.3, seed)
    run = run_epoch(student, baseline, batch, setting)
    epoch, weights = expected_epoch(baseline, batch, setting)
    before = dict(baseline.state_dict())
    found = moved(before, run.weights)
    if not same_steps(found, moved(before, weights)):
        known = next((name for name, wrong in mistaken_steps(baseline, batch, setting) if same_steps(found, wrong)), "")
        expect(False, "other weights after three steps", "the order of one torch.randperm, cut into batches in a row", known)
    expect_loss(run.loss, epoch, "three steps")


def same_steps(found: Tensor, right: Tensor) -> bool:
    """Whether weights moved alike; errors of the first steps are carried on, ten times at most here."""
    return bool(((found - right).abs() <= 10 * STEP_TOLERANCE * right.abs().max()).all())


def mistaken_steps(baseline: rematch.FixedStateDateModel, batch: Encoded, setting: Setting) -> list[tuple[str, Tensor]]:
    """Three steps by known mistakes, as moves of the weights."""
    order = torch.randperm(len(batch.lengths), generator=torch.Generator().manual_seed(setting.seed))
    straight = torch.arange(len(order))
    whole = len(order) // setting.batch_size * setting.batch_size
    before = dict(baseline.state_dict())

    def move(chosen: Tensor) -> Tensor:
        model = copied(baseline)
        for part in chosen.split(setting.batch_size):  # type: ignore[no-untyped-call]
            loss = rematch.token_loss(model, Encoded(*(tensor[part] for tensor in batch)))
            model.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), setting.clip)
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.sub_(setting.rate * (torch.zeros_like(parameter) if parameter.grad is None else parameter.grad))
        return moved(before, dict(model.state_dict()))

    return [
        ("the examples keep their order; shuffle them by torch.randperm", move(straight)),
        ("the last batch is left out because it is smaller", move(order[:whole])),
        ("the order is turned round", move(order.flip(0))),
    ]


@check(
    "train_form",
    cell="train_epoch",
    points=0.5,
    uses=NAMES,
    about="training mode, the generator that is handed in and no other, the batch left alone",
)
def train_form(student: Student, generator: torch.Generator) -> None:
    """A model that comes in evaluation mode leaves in training mode."""
    baseline, batch = draw_baseline(generator, SIZES), draw_batch(generator, 5, SIZES)
    give_baseline(student, baseline, SIZES)
    student.ask("baseline.parameters", keep="parameters")
    student.ask("torch.optim.SGD", Kept("parameters"), lr=0.1, keep="optimizer")
    student.ask("baseline.eval")
    given = (Kept("baseline"), Kept("optimizer"), give_batch(student, batch), Seeded(5))
    reply = student.ask("train_epoch", *given, batch_size=2, clip=1.0)
    as_number(reply.value, "the mean loss")
    expect(not reply.random_moved, "a draw from the global generator", "draws from the generator that is handed in")
    expect(not reply.changed, "the batch was changed in place", "arguments left as they are")
    expect(student.read("baseline.training") is True, "a model in evaluation mode", "training mode", "call model.train()")
