"""Checks of the errors of `masked_attention`: what it refuses, and whether its messages tell the faults apart.

Every input has one fault and no other, so that guards may stand in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch

from grader_tests.m4.batches import Batch, draw_mixed_batch
from grader_tests.vocabulary.inputs import SINGLE, Sizes
from grader_tests.vocabulary.refusals import expect_accepted, expect_refusal, expect_told_apart, wording
from grading.checks import CheckFailed, check
from grading.student import Student, StudentError

FUNCTION = "masked_attention"
# No number of one occurs in the other, so that a number in a message is a size or it is not.
LARGE, SMALL = (3, Sizes(5, 7, 9, 11)), (2, Sizes(4, 6, 8, 10))

AXES, WIDTHS, PAIRS = "an input that is not 3-D", "widths of queries and keys that differ", "keys and values that do not pair up"
MASK, NO_KEY = "a mask of another shape or dtype", "an example without a real key"
# What a guard may refuse though nothing is wrong with it.
ONE_REAL, ONE_EXAMPLE, ONE_KEY = "one real key in every example", "a single example with padding", "a single key"


def faulty_inputs(batch: Batch) -> Mapping[str, list[Batch]]:
    """Inputs by their one fault; for the mask first its shape, then its dtype."""
    Q, K, V, valid = batch
    empty = torch.ones_like(valid)  # all keys are real elsewhere, so that a guard over the wrong axis never sees it
    empty[-1] = False
    return {
        AXES: [(Q[0], K, V, valid), (Q[None], K, V, valid)],
        WIDTHS: [(torch.cat([Q, Q[..., :1]], dim=-1), K, V, valid)],
        PAIRS: [
            (Q, K, torch.cat([V, V[:, :1]], dim=1), valid),
            (Q, K, torch.cat([V, V[:1]], dim=0), valid),
        ],
        MASK: [(Q, K, V, torch.cat([valid, valid[:, :1]], dim=1)), (Q, K, V, valid.to(Q.dtype))],
        NO_KEY: [(Q, K, V, empty)],
    }


def more_faulty_inputs(batch: Batch) -> Mapping[str, list[Batch]]:
    """Further inputs of a fault that come near another: which message they get is not asked."""
    Q, K, V, valid = batch
    others = [valid[:, None, :], valid[0], valid.mT, valid[:1], valid[..., None], valid[:, :1], valid.long(), valid.byte()]
    all_alike = [(Q[0], K[0], V[0], valid), (Q[:, None], K[:, None], V[:, None], valid)]
    # Batch and key axes pair up in these, and widths agree: nothing but the number of axes is wrong.
    values_or_keys = [(Q, K, V[..., 0], valid), (Q, K, V[:, :, None], valid), (Q, K[:, :, None], V, valid)]
    one_less_one_more = [(Q[0], K[:, :, None], V, valid), (Q[0], K, V[:, :, None], valid), (Q[:, :, None], K, V[0], valid)]
    emptied = [valid & (torch.arange(len(valid)) != i)[:, None] for i in range(len(valid))]
    return {
        AXES: [(Q, K[0], V, valid), (Q, K, V[0], valid), *all_alike, *one_less_one_more, *values_or_keys],
        WIDTHS: [(Q[..., :-1], K, V, valid), (Q[..., :1], K, V, valid)],
        PAIRS: [(Q, K, V[:, :-1], valid), (Q, K, V[:1], valid), (Q, K, V[:, :1], valid)],
        MASK: [(Q, K, V, other) for other in others],
        NO_KEY: [(Q, K, V, other) for other in (*emptied, torch.zeros_like(valid))],
    }


def unusual_inputs(generator: torch.Generator) -> Mapping[str, Batch]:
    """Inputs without a fault that a guard may refuse all the same. Only the check of the last guard holds that against it."""
    Q, K, V, valid = draw_mixed_batch(generator, *LARGE)
    one_real = torch.zeros_like(valid)
    one_real[:, 0] = True
    single_key = draw_mixed_batch(generator, 3, next(sizes for sizes in SINGLE if sizes.T_k == 1))
    return {ONE_REAL: (Q, K, V, one_real), ONE_EXAMPLE: (Q[:1], K[:1], V[:1], valid[:1]), ONE_KEY: single_key}


def refused_kinds(student: Student, generator: torch.Generator) -> set[str]:
    """The unusual inputs that the student refuses: paid for in the check of the last guard, so that others leave them out."""
    return {kind for kind, arguments in unusual_inputs(generator).items() if is_refused(student, arguments)}


def is_refused(student: Student, arguments: Batch) -> bool:
    """Whether a ValueError is raised."""
    try:
        student.ask(FUNCTION, *arguments)
    except StudentError as error:
        return "ValueError" in error.classes
    return False


def expect_refused(student: Student, generator: torch.Generator, faults: tuple[str, ...]) -> None:
    """A ValueError with a message for every input of these faults, and none for what is right."""
    batch = draw_mixed_batch(generator, *LARGE)
    expect_accepted(student, FUNCTION, batch, "inputs that are as they should be")
    for fault in faults:
        for arguments in (*faulty_inputs(batch)[fault], *more_faulty_inputs(batch)[fault]):
            expect_refusal(student, FUNCTION, arguments, fault)


@check(
    "masked_attention_guards_inputs",
    cell=FUNCTION,
    points=0.5,
    uses=(FUNCTION,),
    about="a ValueError for inputs that are not 3-D, or do not fit each other",
)
def masked_attention_guards_inputs(student: Student, generator: torch.Generator) -> None:
    """Queries, keys and values."""
    expect_refused(student, generator, (AXES, WIDTHS, PAIRS))


@check(
    "masked_attention_guards_mask",
    cell=FUNCTION,
    points=0.5,
    uses=(FUNCTION,),
    about="a ValueError for a mask of another shape or dtype",
)
def masked_attention_guards_mask(student: Student, generator: torch.Generator) -> None:
    """Also masks that would broadcast, and masks of 0 and 1 that are no bool."""
    expect_refused(student, generator, (MASK,))


@check(
    "masked_attention_guards_no_key",
    cell=FUNCTION,
    points=0.5,
    uses=(FUNCTION,),
    about="a ValueError where an example has no real key",
)
def masked_attention_guards_no_key(student: Student, generator: torch.Generator) -> None:
    """Each example in turn among others, and a batch of such; then what has a real key in every example, and no more."""
    expect_refused(student, generator, (NO_KEY,))
    for kind, arguments in unusual_inputs(generator).items():
        expect_accepted(student, FUNCTION, arguments, kind)


@check(
    "masked_attention_guards_told_apart",
    cell=FUNCTION,
    points=0.5,
    uses=(FUNCTION,),
    about="five faults with five different messages",
)
def masked_attention_guards_told_apart(student: Student, generator: torch.Generator) -> None:
    """Each fault in two sizes, so that shapes in a message do not make it another one; the class is asked for elsewhere."""
    large, small = (faulty_inputs(draw_mixed_batch(generator, *size)) for size in (LARGE, SMALL))
    expect_told_apart({fault: wordings(student, fault, zip(large[fault], small[fault], strict=True)) for fault in large})


def wordings(student: Student, fault: str, pairs: Iterable[tuple[Batch, Batch]]) -> set[str]:
    """What is said of a fault; an input of it that is not refused says nothing, but one at least must be."""
    found, last = set(), None
    for pair in pairs:
        try:
            found.add(wording(*(expect_refusal(student, FUNCTION, arguments, fault, of_any_class=True) for arguments in pair)))
        except CheckFailed as failure:
            last = failure
    if not found and last:
        raise last
    return found
