"""Checks of `causal_attention`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader_tests.m4.batches import LOW, lower, shift_keys
from grader_tests.references import masking as reference
from grader_tests.vocabulary.compositions import PAIR, depends_on_all, parts
from grader_tests.vocabulary.inputs import DTYPES, LEADING, Sizes, draw_attention_inputs, examples, non_contiguous, with_axes
from grader_tests.vocabulary.masks import as_mask
from grader_tests.vocabulary.rules import expect_gradients, expect_pure, moves_random_state
from grader_tests.vocabulary.shares import (
    LOW_ENOUGH,
    expect_excluded,
    expect_following,
    expect_no_weight,
    expect_row_sums,
    expect_weights,
)
from grading.checks import CheckFailed, check
from grading.expectations import TOLERANCE, close, expect, expect_close, expect_dtype, expect_pair, expect_tensor
from grading.student import Student, StudentFault

USES = ("causal_attention", "causal_mask", "masked_attention")
SIZES = (Sizes(5, 5, 16, 7), Sizes(2, 2, 4, 3), Sizes(6, 6, 16, 3))
# Widths without a whole root, for float32 alone, as in NARROW_CASES.
NARROW_SIZES = (Sizes(4, 4, 3, 8), Sizes(5, 5, 12, 2))
Sequences = tuple[Tensor, Tensor, Tensor]


def ask_causal(student: Student, inputs: Sequences) -> tuple[Any, Any]:
    """The student's output and weights, in this order."""
    pair = expect_pair(student.causal_attention(*inputs), PAIR)
    shapes = tuple(tuple(part.shape) if isinstance(part, Tensor) else None for part in pair)
    right = (tuple(inputs[2].shape), (*inputs[0].shape[:-1], inputs[0].shape[-2]))
    expect(shapes == right or shapes != right[::-1], "the weights, then the output", "the output, then the weights")
    return pair


def judge(student: Student, inputs: Sequences, question: Callable[[Any, Any, Tensor], None]) -> bool:
    """Ask a question of output, weights and mask (T, T). False where the answer is what a wrong helper of the student's makes.

    An error in `causal_mask` or `masked_attention` has been paid for there. A helper's composition that has an answer to the
    question excuses nothing: it may be near to the student's within a tolerance, and better.
    """
    output, weights = ask_causal(student, inputs)
    allowed = reference.causal_mask(inputs[0].shape[-2])
    try:
        question(output, weights, allowed)
    except CheckFailed:
        near = [own for own in own_compositions(student, inputs) if agrees(output, weights, own)]
        if not any(fails(question, *own, allowed) for own in near):
            raise
        return False
    return True


def fails(question: Callable[[Any, Any, Tensor], None], *answer: Any) -> bool:
    """Whether a question is answered wrongly."""
    try:
        question(*answer)
    except CheckFailed:
        return True
    return False


def agrees(output: Any, weights: Any, own: tuple[Tensor, Tensor]) -> bool:
    """Whether an answer is a composition, in the rows that the composition has a value for; these are more than one."""
    if not all(isinstance(found, Tensor) and found.dtype.is_floating_point for found in (output, weights)):
        return False
    if output.shape != own[0].shape or weights.shape != own[1].shape:
        return False
    rows = own[0].isfinite().all(dim=-1) & own[1].isfinite().all(dim=-1)
    tolerance = TOLERANCE[torch.float32 if own[0].dtype is torch.float32 else torch.float64]
    alike = all(close(found[rows], right[rows], tolerance) for found, right in ((output, own[0]), (weights, own[1])))
    return alike and bool(rows.any())


def own_compositions(student: Student, inputs: Sequences) -> list[tuple[Tensor, Tensor]]:
    """Output and weights as right compositions of the student's own `causal_mask` and of their own `masked_attention`."""
    found = [through_own_mask(student, inputs), through_own_masked_attention(student, inputs)]
    return [pair for pair in found if pair is not None]


def through_own_mask(student: Student, inputs: Sequences) -> tuple[Tensor, Tensor] | None:
    """Attention under the student's own mask; None where that says the same of all keys, or is no mask."""
    T = inputs[0].shape[-2]
    try:
        mask = as_mask(student.causal_mask(T))
    except StudentFault:
        return None
    if mask is None or tuple(mask.shape) != (T, T) or bool(mask.all()) or not bool(mask.any()):
        return None
    output, weights = reference.attention_under(*inputs, mask)
    return output.to(inputs[0].dtype), weights.to(inputs[0].dtype)


def through_own_masked_attention(student: Student, inputs: Sequences) -> tuple[Tensor, Tensor] | None:
    """The student's `masked_attention`, every query an example of its own; None where its context ignores an argument."""
    Q, K, V = inputs
    T, rows = Q.shape[-2], Q.numel() // Q.shape[-1]
    queries = Q.reshape(rows, 1, Q.shape[-1])
    keys, values = (t.unsqueeze(-3).expand(*t.shape[:-2], T, *t.shape[-2:]).reshape(rows, T, t.shape[-1]) for t in (K, V))
    allowed = reference.causal_mask(T).expand(*Q.shape[:-2], T, T).reshape(rows, T)
    given = (queries, keys, values, allowed)
    others_changed = [(*given[:i], -2 * given[i], *given[i + 1 :]) for i in range(3)]
    changed = [given, *others_changed, (*given[:3], torch.ones_like(allowed))]
    try:
        own, *others = (student.ask("masked_attention", *arguments).value for arguments in changed)
    except StudentFault:
        return None
    if len(parts(own)) != 2 or not all(isinstance(part, Tensor) for part in parts(own)):
        return None
    if not depends_on_all(parts(own)[0], [parts(other)[0] for other in others]):
        return None
    context, weights = parts(own)
    if context.numel() != rows * V.shape[-1] or weights.numel() != rows * T:
        return None
    return context.reshape(V.shape), weights.reshape(*Q.shape[:-1], T)


def helper_moves_random_state(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> bool:
    """Whether the student's `masked_attention` or `causal_mask` does; Q, K, V of shape (B, T, d)."""
    everything = torch.ones(K.shape[:2], dtype=torch.bool)
    helpers = (("masked_attention", Q, K, V, everything), ("causal_mask", Q.shape[1]))
    return any(moves_random_state(student, *helper) for helper in helpers)


def rounded_roots(Q: Tensor, K: Tensor, V: Tensor) -> Mapping[str, Tensor]:
    """The mistakes of narrow sequences, once wider ones with a whole root are right."""
    return reference.rounded_roots(Q, K, reference.causal_mask(Q.shape[-2]))


def expect_causal(
    student: Student,
    inputs: Sequences,
    what: str = "",
    mistaken: Callable[..., Mapping[str, Tensor]] = reference.mistaken_causal_attention,
) -> bool:
    """Output and weights agree with the reference; False where they are those of a wrong helper."""

    def question(output: Any, weights: Any, allowed: Tensor) -> None:
        expected = [t.to(inputs[0].dtype) for t in reference.causal_attention(*inputs)]
        expect_weights(weights, expected[1], f"the weights{what}", partial(mistaken, *inputs))
        expect_close(output, expected[0], f"the output{what}")

    return judge(student, inputs, question)


@check(
    "causal_attention_values",
    cell="causal_attention",
    points=1,
    uses=USES,
    about="output and weights of one sequence, without a batch",
)
def causal_attention_values(student: Student, generator: torch.Generator) -> None:
    """Several sizes, both dtypes, and scores so low that a fill of -20 shows."""
    for sizes in SIZES:
        for dtype in DTYPES:
            expect_causal(student, draw_attention_inputs(generator, sizes, (), dtype))
    for sizes in NARROW_SIZES:
        expect_causal(student, draw_attention_inputs(generator, sizes, (), torch.float32), mistaken=rounded_roots)
    Q, K, V = draw_attention_inputs(generator, SIZES[0])
    expect_causal(student, (*lower(Q, K, LOW), V), " where all scores are negative")


@check(
    "causal_attention_batched",
    cell="causal_attention",
    points=1,
    uses=USES,
    about="leading batch axes, each sequence alone, a single token, values of width one, scores of zero, gradients and dtype",
)
def causal_attention_batched(student: Student, generator: torch.Generator) -> None:
    """None, one, two and three leading axes, also as many as tokens; then what must hold beside the values."""
    for leading in (*LEADING, (5,), (1,)):
        Q, K, V = draw_attention_inputs(generator, SIZES[0], leading)
        expect_causal(student, (*lower(Q, K, LOW), V), with_axes(leading))
    Q, K, V = draw_attention_inputs(generator, SIZES[0], (3,))
    right = expect_causal(student, (non_contiguous(Q), non_contiguous(K), non_contiguous(V)), " of non-contiguous inputs")
    together = ask_causal(student, (Q, K, V))[0]
    reply = student.ask("causal_attention", Q, K, V)
    expect_pure(reply, "causal_attention", lambda: helper_moves_random_state(student, Q, K, V))
    if not right:  # the rest was judged with the helper
        return
    expect_causal(student, draw_attention_inputs(generator, Sizes(1, 1, 4, 3), (2,)), " for a single token")
    expect_causal(student, draw_attention_inputs(generator, Sizes(4, 4, 9, 1), (2,)), " with values of width one")
    expect_causal(student, (Q, replaced(K, 2, 0.0), V), " where a key scores exactly 0 with every query")
    for i, one in enumerate(examples(Q, K, V)):
        alone = ask_causal(student, (one[0], one[1], one[2]))[0]
        expect_close(alone, together[i], "a sequence alone, against itself in the batch,")
    for dtype in DTYPES:
        given = (Q.to(dtype), K.to(dtype), V.to(dtype))
        for part, shape, name in zip(ask_causal(student, given), ((3, 5, 7), (3, 5, 5)), PAIR, strict=True):
            expect_dtype(expect_tensor(part, shape, name), dtype, name)
    expect_gradients(student, "causal_attention", (Q, K, V), [(0,), (1,)], reference.causal_attention, generator)


@check(
    "causal_attention_future",
    cell="causal_attention",
    points=1,
    uses=USES,
    about="no future token has any influence, whatever its values, and however low, high or far apart the scores",
)
def causal_attention_future(student: Student, generator: torch.Generator) -> None:
    """The structure of a causal attention, at any positive scale; then every token changed in turn."""
    Q, K, V = draw_attention_inputs(generator, SIZES[2], (2,))
    sunk = (*lower(Q, K, -1e4), V)
    for inputs, hint in (((Q, K, V), ""), (sunk, LOW_ENOUGH)):
        if not judge(student, inputs, structure_question(inputs, hint)):
            return
    if not judge_large_scores(student, generator):
        return
    before = expect_tensor(ask_causal(student, (Q, K, V))[0], tuple(V.shape), "the output")
    for token in range(1, Q.shape[-2]):
        # Tenfold keys, so that a leak would show; larger ones would leave "softmax, zero, renormalise" nothing to divide by.
        changed = tuple(replaced(t, token, factor) for t, factor in ((Q, 3.0), (K, -4.0), (V, 1e6)))
        after = expect_tensor(ask_causal(student, (changed[0], changed[1], changed[2]))[0], tuple(V.shape), "the output")
        expect_close(
            after[:, :token],
            before[:, :token],
            "outputs of earlier tokens after a later one was changed",
            hint="is a later key or value read on the way, or something averaged over all tokens?",
        )


def judge_large_scores(student: Student, generator: torch.Generator) -> bool:
    """The last key scores far above all others, by as much as leaves "softmax, zero, renormalise" something, and by more.

    Then scores far apart within the past, the future below its best; the first query has none but itself to choose.
    """
    Q, K, V = draw_attention_inputs(generator, SIZES[2], (2,))
    last = torch.tensor([-1.0, -1, -1, -1, -1, 1], dtype=torch.float64)
    high = (*shift_keys(Q, K, 300 * last), V)
    higher = (*shift_keys(Q, K, 1e4 * last), V)
    apart = (*shift_keys(Q, K, torch.tensor([-1e4, 1e4, 5e3, 0, -3e3, -1e4], dtype=torch.float64)), V)
    apart[0][..., 0, -1] = 0.0
    return all(judge(student, inputs, no_weight_question(inputs)) for inputs in (high, higher)) and expect_causal(
        student, apart, " for scores that are far apart"
    )


def no_weight_question(inputs: Sequences) -> Callable[[Any, Any, Tensor], None]:
    """No weight for the future."""

    def question(output: Any, weights: Any, allowed: Tensor) -> None:
        expect_no_weight(expect_tensor(weights, tuple((inputs[0] @ inputs[1].mT).shape), "the weights"), allowed, "future tokens")

    return question


def structure_question(inputs: Sequences, hint: str = "") -> Callable[[Any, Any, Tensor], None]:
    """Exact zeros for the future, shares of the past, an output mixed by them."""
    Q, K, V = inputs

    def question(output: Any, weights: Any, allowed: Tensor) -> None:
        found = expect_tensor(weights, tuple((Q @ K.mT).shape), "the weights")
        expect_excluded(found, allowed, "future tokens", hint)
        expect_row_sums(found, "what future tokens would have had goes to the others: mask before the softmax")
        expect_following(found, Q @ K.mT, allowed)
        expect_close(output, found.double() @ V, "the output, against your own weights times V,", tolerance=1e-5)

    return question


def replaced(sequences: Tensor, token: int, factor: float) -> Tensor:
    """(B, T, d) with one token multiplied by a factor."""
    changed = sequences.clone()
    changed[:, token] *= factor
    return changed
