"""Checks of the proof as an ordering of steps and a licence for each.

The steps, by the labels of the notebook:
A Var(q . k) = d_k;  B E[q_i^2] = E[k_i^2] = 1;  C Var(sum) = sum of variances + sum of covariances;  D E[q_i k_i] = 0;
E Var(q . k / sqrt(d_k)) = 1;  F E[q_i k_i] = E[q_i] E[k_i];  G Cov(q_i k_i, q_j k_j) = 0;  H Var(q_i k_i) = 1;
I E[q_i^2 k_i^2] = E[q_i^2] E[k_i^2].
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch

from grading.checks import check
from grading.expectations import describe, expect
from grading.student import Student

# What each step uses; any order in which a step comes after all that it uses is right.
USED: Mapping[str, str] = {"A": "HGC", "B": "", "C": "", "D": "F", "E": "A", "F": "", "G": "", "H": "DBI", "I": ""}
ONE_PRODUCT, THE_SUM = "FDIBH", "HGCAE"
REASONS = {"A": 2, "B": 9, "C": 5, "D": 4, "E": 1, "F": 7, "G": 10, "H": 6, "I": 7}
FROM_ASSUMPTIONS, FROM_ALGEBRA = "BDFGI", "ACEH"
# Normality, the central limit theorem and the law of large numbers: true, and used by no step.
UNNEEDED = (3, 8, 11)


def label(value: Any) -> str:
    """A label as it was meant: blanks around it and small letters do not matter."""
    return value.strip().upper() if isinstance(value, str) else ""


def ordered_labels(student: Student) -> list[str]:
    """The labels in the student's order. Raises CheckFailed where it is no list of all of them."""
    order = student.read("PROOF_ORDER")
    expect(isinstance(order, (list, tuple)), f"PROOF_ORDER as {describe(order)}", "a list of the nine labels A to I")
    labels = [label(value) for value in order]
    whole = sorted(labels) == sorted(USED)
    expect(whole, "PROOF_ORDER does not hold each of the nine labels once", "the nine labels A to I, each once")
    return labels


def too_early(labels: Sequence[str], among: Collection[str]) -> list[str]:
    """Steps that stand before something that they use, both among the given ones."""
    place = {step: i for i, step in enumerate(labels)}
    return [step for step in labels if step in among and any(place[u] > place[step] for u in USED[step] if u in among)]


def expect_order(student: Student, among: str, part: str) -> None:
    """Every step of one part comes after what it uses; which one does not is told, what it uses is not."""
    early = too_early(ordered_labels(student), among)
    came = f"{part}: step {early[0] if early else ''} comes before something that it uses"
    expect(not early, came, "each step after all that it uses", "read the step aloud: which earlier lines does it quote?")


@check("proof_order_product", cell="proof_order", points=1, uses=("PROOF_ORDER",), about="the order of the steps for one product")
def proof_order_product(student: Student, generator: torch.Generator) -> None:
    """From the independence of q_i and k_i to the variance of their product."""
    expect_order(student, ONE_PRODUCT, "one product")


@check("proof_order_sum", cell="proof_order", points=1, uses=("PROOF_ORDER",), about="the order of the steps for the sum")
def proof_order_sum(student: Student, generator: torch.Generator) -> None:
    """From the variance of one product to the scaled score."""
    expect_order(student, THE_SUM, "the sum")


def number_of(value: Any) -> int:
    """The number of a reason: "R7", "r7", "7" or 7; 0 for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    digits = label(value).removeprefix("R")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else 0


def expect_reasons(student: Student, steps: str) -> None:
    """Every one of these steps has the reason that licenses it. A wrong step is named where its reason is one that none needs."""
    reasons = student.read("PROOF_REASONS")
    expect(
        isinstance(reasons, dict), f"PROOF_REASONS as {describe(reasons)}", "a dict from the steps A to I to reasons R1 to R11"
    )
    given = {label(step): number_of(reason) for step, reason in reasons.items()}
    wrong = [step for step in steps if given.get(step) != REASONS[step]]
    unneeded = [step for step in wrong if given.get(step) in UNNEEDED]
    told = ", ".join(unneeded)
    hint = f"no step needs the reason that you gave for {told}: the proof holds without it" if unneeded else ""
    expect(not wrong, f"{len(steps) - len(wrong)} of these {len(steps)} steps with the reason that licenses them", "all", hint)


@check(
    "proof_reasons_assumptions",
    cell="proof_reasons",
    points=1,
    uses=("PROOF_REASONS",),
    about="reasons of the steps that use an assumption",
)
def proof_reasons_assumptions(student: Student, generator: torch.Generator) -> None:
    """Independence of q_i and k_i, of different coordinates, the means, the variances."""
    expect_reasons(student, FROM_ASSUMPTIONS)


@check(
    "proof_reasons_algebra",
    cell="proof_reasons",
    points=1,
    uses=("PROOF_REASONS",),
    about="reasons of the steps that hold for all random variables, or only put results together",
)
def proof_reasons_algebra(student: Student, generator: torch.Generator) -> None:
    """Identities, and substitution."""
    expect_reasons(student, FROM_ALGEBRA)
