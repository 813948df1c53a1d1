"""Checks of `AdditiveAttention`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from grader_tests.m5.models import draw_attention, give_weights
from grader_tests.references import rematch
from grader_tests.vocabulary.inputs import draw
from grader_tests.vocabulary.rules import expect_pure
from grader_tests.vocabulary.shares import expect_excluded, expect_row_sums
from grading.checks import CheckFailed, check
from grading.expectations import close, expect, expect_close, expect_pair, expect_tensor
from grading.student import Student

CELL = "AdditiveAttention"
PAIR = ("the context", "the weights")


class Case(NamedTuple):
    """Sizes of one read."""

    B: int
    n: int
    d_q: int
    d_k: int
    d_a: int


# Sizes that all differ; equal sizes, where a wrong axis or a projection for both goes unnoticed; one key, one example.
CASES = (Case(4, 6, 5, 3, 7), Case(5, 5, 5, 5, 5), Case(3, 1, 2, 6, 4), Case(1, 5, 3, 4, 2))
# Biases and other parameters that should not be there become zero before values are compared.
TOLERANCE = 2e-5  # float32: sums of up to 7 terms inside tanh, times weights of up to 6 in `v`


class Read(NamedTuple):
    """Inputs of one read."""

    query: Tensor
    keys: Tensor
    key_is_valid: Tensor


def draw_read(generator: torch.Generator, case: Case) -> Read:
    """Padding at the end of keys of unequal lengths; what stands in padded slots is as large as the rest."""
    lengths = torch.randint(1, case.n + 1, (case.B,), generator=generator)
    lengths[0] = case.n
    if case.B > 1:
        lengths[-1] = 1
    query = draw(generator, case.B, case.d_q, dtype=torch.float32)
    keys = draw(generator, case.B, case.n, case.d_k, dtype=torch.float32)
    return Read(query, keys, torch.arange(case.n) < lengths[:, None])


def give_attention(student: Student, generator: torch.Generator, case: Case) -> rematch.AdditiveAttention:
    """Build the student's module, kept as `scorer`, with the weights of the reference that is returned."""
    reference = draw_attention(generator, case.d_q, case.d_k, case.d_a)
    student.ask(CELL, case.d_q, case.d_k, case.d_a, keep="scorer")
    give_weights(student, "scorer", reference)
    return reference


def ask_read(student: Student, read: Read) -> tuple[Tensor, Tensor]:
    """The student's context and weights, of the right shapes."""
    context, weights = expect_pair(student.ask("scorer", *read).value, PAIR)
    B, n, d_k = read.keys.shape
    if isinstance(context, Tensor) and isinstance(weights, Tensor):
        swapped = context.shape == (B, n) and weights.shape == (B, d_k) and n != d_k
        expect(not swapped, "the weights, then the context", "the context, then the weights")
    return expect_tensor(context, (B, d_k), "the context"), expect_tensor(weights, (B, n), "the weights")


def mistaken_weights(reference: rematch.AdditiveAttention, read: Read) -> Mapping[str, Tensor]:
    """Weights (B, n) of known mistakes, by the name a student reads."""
    scores, padded = reference.scores(read.query, read.keys).detach(), ~read.key_is_valid
    excluded = scores.masked_fill(padded, -torch.inf)
    linear = reference.v(reference.W_k(read.keys) + reference.W_q(read.query)[:, None, :])[:, :, 0]
    return {
        "the mask has no effect (is the result of masked_fill thrown away?)": scores.softmax(1),
        "padded scores are set to 0, and exp(0) = 1 still earns weight; they are to be excluded": scores.masked_fill(
            padded, 0.0
        ).softmax(1),
        "the mask comes after the softmax, and what is left is not divided by its sum": scores.softmax(1) * read.key_is_valid,
        "the softmax runs over the batch; it should run over the keys of each example": excluded.softmax(0),
        "the tanh is missing, and without it the query cancels in the softmax": linear.masked_fill(padded, -torch.inf).softmax(1),
    }


def expect_weights(weights: Tensor, reference: rematch.AdditiveAttention, read: Read, what: str = "the weights") -> None:
    """Weights that agree; a known mistake is called by its name."""
    expected = reference(*read)[1].detach()
    if close(weights, expected, TOLERANCE):
        return
    mistakes = mistaken_weights(reference, read).items()
    known = next((name for name, wrong in mistakes if bool(wrong.isfinite().all()) and close(weights, wrong, TOLERANCE)), "")
    expect_close(weights, expected, what, tolerance=TOLERANCE, hint=known)


@check(
    "attention_parameters",
    cell=CELL,
    points=0.5,
    uses=(CELL,),
    about="three layers without biases: W_k, W_q and v, with their shapes",
)
def attention_parameters(student: Student, generator: torch.Generator) -> None:
    """Names and shapes."""
    for case in CASES[::2]:
        student.ask(CELL, case.d_q, case.d_k, case.d_a, keep="scorer")
        found = student.ask("scorer.state_dict").value
        right = {"W_k.weight": (case.d_a, case.d_k), "W_q.weight": (case.d_a, case.d_q), "v.weight": (1, case.d_a)}
        expect(isinstance(found, dict), "a module without a state dict", "an nn.Module")
        shapes = {name: tuple(value.shape) if isinstance(value, Tensor) else None for name, value in found.items()}
        missing = [name for name, shape in right.items() if shapes.get(name) != shape]
        expect(not missing, f"missing, or of another shape: {', '.join(missing)}", "W_k (d_a, d_k), W_q (d_a, d_q), v (1, d_a)")
        extra = len(set(shapes) - set(right))
        hint = "nn.Linear has a bias unless it is told `bias=False`"
        expect(not extra, f"{extra} parameters that are not asked for", "three parameters, none of them a bias", hint)


@check(
    "attention_order",
    cell=CELL,
    points=0.5,
    uses=(CELL,),
    about="the layers drawn in the order W_k, W_q, v, as torch's own nn.Linear draws them",
)
def attention_order(student: Student, generator: torch.Generator) -> None:
    """Under one seed, W_k is drawn first, then W_q; of equal shapes, so that a bias drawn between them is told apart."""
    case = CASES[1]
    seed = int(torch.randint(1, 2**31, (1,), generator=generator))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        expected = rematch.AdditiveAttention(case.d_q, case.d_k, case.d_a).state_dict()
    student.ask(CELL, case.d_q, case.d_k, case.d_a, keep="scorer", seed=seed)
    found = student.ask("scorer.state_dict").value
    expect(isinstance(found, dict), "a module without a state dict", "an nn.Module")
    first, second = found.get("W_k.weight"), found.get("W_q.weight")
    if isinstance(first, Tensor) and isinstance(second, Tensor) and close(second, expected["W_k.weight"], 1e-5):
        raise CheckFailed("W_q is drawn before W_k", "W_k first, then W_q, then v")
    if "W_k.bias" not in found:  # a bias is drawn too, and costs the points of the parameters
        expect_close(second, expected["W_q.weight"], "W_q under a seed", tolerance=1e-5, hint="build W_k, then W_q, then v")
    expect_close(first, expected["W_k.weight"], "W_k under a seed", tolerance=1e-5, hint="build W_k, then W_q, then v")


@check("attention_weights", cell=CELL, points=1, uses=(CELL,), about="the weights of real keys")
def attention_weights(student: Student, generator: torch.Generator) -> None:
    """Batches of unequal lengths."""
    for case in CASES:
        reference = give_attention(student, generator, case)
        for _ in range(2):
            read = draw_read(generator, case)
            expect_weights(ask_read(student, read)[1], reference, read)


@check("attention_context", cell=CELL, points=0.5, uses=(CELL,), about="the context: the keys, weighted by your own weights")
def attention_context(student: Student, generator: torch.Generator) -> None:
    """The values are the keys; whether the weights are right is judged elsewhere."""
    for case in CASES:
        give_attention(student, generator, case)
        read = draw_read(generator, case)
        context, weights = ask_read(student, read)
        expect(bool(weights.isfinite().all()), "weights that are NaN or infinite", "finite weights")
        mixed = rematch.mix(weights.detach(), read.keys)
        expect_close(context, mixed, "the context, against your own weights times the keys,", tolerance=TOLERANCE)
        expect(bool((weights != 0).any(dim=1).all()), "weights that are all zero", "weights that share one whole")


@check("attention_padding", cell=CELL, points=1, uses=(CELL,), about="padded keys weigh exactly 0.0, whatever stands in them")
def attention_padding(student: Student, generator: torch.Generator) -> None:
    """Scores as low as they can be for real keys, as high as they can be for padded ones."""
    for case in CASES:
        reference = give_attention(student, generator, case)
        read = draw_read(generator, case)
        # Keys along which tanh is saturated the way that `v` punishes, for real ones, or rewards, for padded ones.
        liked = torch.linalg.pinv(reference.W_k.weight) @ reference.v.weight[0].sign() * 20
        signs = torch.where(read.key_is_valid, -1.0, 1.0)[:, :, None]
        for keys in (read.keys, read.keys + signs * liked.detach(), read.keys - signs * liked.detach()):
            weights = ask_read(student, read._replace(keys=keys))[1]
            expect_excluded(weights, read.key_is_valid, "padded keys")
            expect_row_sums(weights, "what padded keys would have had goes to the real ones: mask before the softmax")


@check(
    "attention_properties",
    cell=CELL,
    points=0.5,
    uses=(CELL,),
    about="an example alone, gradients for all three layers, arguments left alone",
)
def attention_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values; an attention that is wrong need only be learnable."""
    case = CASES[0]
    give_attention(student, generator, case)
    read = draw_read(generator, case)
    expect_pure(student.ask("scorer", *read), "AdditiveAttention.forward")
    whole = read._replace(key_is_valid=torch.ones_like(read.key_is_valid))  # padding has points of its own
    student.ask("scorer", *whole, keep="read")
    context, weights = (part.detach() for part in ask_read(student, whole))
    for i in range(case.B):
        own_context, own_weights = ask_read(student, Read(*(part[i : i + 1] for part in whole)))
        told = "for an example alone, against the same in a batch"
        expect_close(own_weights, weights[i : i + 1], f"the weights {told}", tolerance=TOLERANCE)
        expect_close(own_context, context[i : i + 1], f"the context {told}", tolerance=TOLERANCE)
    expect_learning(student, draw(generator, case.B, case.d_k, dtype=torch.float32))


def expect_learning(student: Student, cotangent: Tensor) -> None:
    """Each layer gets a gradient through the context that was kept as the first part of `read`."""
    student.ask("read.__getitem__", 0, keep="context")
    leads_back = student.read("context.requires_grad") is True
    expect(leads_back, "a context without a way back to the layers", "a context that can be learned from")
    student.ask("context.backward", cotangent)
    for name in ("W_k", "W_q", "v"):
        gradient = student.read(f"scorer.{name}.weight.grad")
        reached = isinstance(gradient, Tensor) and bool(gradient.isfinite().all())
        expect(reached, f"no gradient reaches `{name}`", "a gradient for every layer", "is there a detach() on the way?")
