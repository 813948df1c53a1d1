"""Checks of `saturation_row`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader_tests.m3.own import NOT_A_NUMBER, is_usable, pairs_of_entropies
from grader_tests.references import entropy as reference
from grader_tests.references.entropy import COLUMNS
from grader_tests.vocabulary.compositions import agree_in_secret_orders
from grader_tests.vocabulary.draws import (
    DRAWN,
    agree,
    common_mistake,
    expect_generator_obeyed,
    fresh_integers,
    fresh_seeds,
    seeded,
)
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect
from grading.student import Seeded, Student

PUBLISHED_WIDTHS, PUBLISHED_SEED = (4, 16, 64, 256), 0
MEANINGS = (
    "raw standard deviation",
    "scaled standard deviation",
    "entropy of the raw scores",
    "entropy of the scaled scores",
)
USES = ("saturation_row", "entropy")
# Half a unit of the second digit behind the point, and a little for draws: what rounding to two digits or more takes off.
ROUNDED = 5.1e-3
# Where the draws are right, what is wrong comes after them.
SCALE = "the scaled scores are the raw ones divided by math.sqrt(d_k), whatever the width"
ENTROPY = "this is to be the entropy of softmax of the scores, in nats"
AFTER_THE_DRAWS = ("", SCALE, ENTROPY, f"{ENTROPY}; {SCALE}")


@dataclass(frozen=True)
class Setting:
    """The arguments of one row."""

    d_k: int
    seed: int
    n_keys: int = 5


def fresh_settings(generator: torch.Generator) -> list[Setting]:
    """The published rows, then others: several widths, odd ones among them, and numbers of keys.

    The last is so wide that of 20 weights one underflows in float32, save with a chance of 1e-6.
    """
    published = [Setting(width, PUBLISHED_SEED) for width in PUBLISHED_WIDTHS]
    seeds = fresh_seeds(generator, 7)
    widths = [*fresh_integers(generator, 2, 15, 2), *fresh_integers(generator, 17, 200, 2), 9, 33, 10_000]
    keys = [5, 3, 5, 8, 2, 5, 20]
    return published + [Setting(d, seed, n) for d, seed, n in zip(widths, seeds, keys, strict=True)]


def row(student: Student, setting: Setting) -> Tensor:
    """(4,), float64: the student's row; five keys are left to the default."""
    more = () if setting.n_keys == 5 else (setting.n_keys,)
    value = student.saturation_row(setting.d_k, Seeded(setting.seed), *more)
    return torch.tensor([number_in(part) for part in parts_of(value)], dtype=torch.float64)


def parts_of(value: Any) -> list[Any]:
    """The four parts of a row. Raises CheckFailed."""
    expect(isinstance(value, (tuple, list)), f"the row as {describe(value)}", f"a SaturationRow: {', '.join(COLUMNS)}")
    expect(len(value) == len(COLUMNS), f"a row of {len(value)}", f"four numbers: {', '.join(COLUMNS)}")
    return list(value)


def number_in(part: Any) -> float:
    """A number, or a tensor that holds a single one; NaN for anything that is none."""
    if isinstance(part, Tensor) and part.numel() == 1 and not part.is_complex():
        return float(part.detach().double().item())
    if not isinstance(part, (int, float)) or isinstance(part, bool):
        raise CheckFailed(f"a part of the row as {describe(part)}", "a number for each of the four")
    return float(part) if abs(part) < 1e300 else math.nan


def right_row(setting: Setting) -> Tensor:
    """(4,): the reference's."""
    return torch.tensor(reference.saturation_row(setting.d_k, seeded(setting.seed), setting.n_keys), dtype=torch.float64)


def expect_column(student: Student, settings: list[Setting], column: int, tolerated: Callable[[], bool] = lambda: False) -> None:
    """One column agrees with the reference in all settings, or is what is tolerated; else a known mistake is named."""
    wrong = {
        setting: found for setting in settings if not agree(found := row(student, setting)[column], right_row(setting)[column])
    }
    if not wrong or tolerated():
        return
    known = [
        [
            name
            for name, mistaken in reference.mistaken_rows(setting.d_k, setting.seed, setting.n_keys).items()
            if agree(found, torch.tensor(mistaken[column], dtype=torch.float64))
        ]
        for setting, found in wrong.items()
    ]
    hint = hint_of(student, settings, column, wrong)
    came = f"the {MEANINGS[column]} differs in {len(wrong)} of {len(settings)} rows"
    raise CheckFailed(came, "the row that these draws give", hint, common_mistake(known))


def hint_of(student: Student, settings: list[Setting], column: int, wrong: Mapping[Setting, Tensor]) -> str:
    """What may lie behind a wrong column; the order of the draws only where the raw standard deviations are wrong too."""
    if any(bool(found.isnan()) for found in wrong.values()):
        return "0 times log 0 is NaN"
    if all(float((found - right_row(setting)[column]).abs()) <= ROUNDED for setting, found in wrong.items()):
        return "the numbers are near: are they rounded? hand on all their digits"
    if all(agree(row(student, setting)[0], right_row(setting)[0]) for setting in settings):
        return AFTER_THE_DRAWS[column]
    return "q (1, d_k) is drawn first, then k (n_keys, d_k), each by one torch.randn from the generator"


@check(
    "saturation_row_generator",
    cell="saturation_row",
    points=1,
    uses=USES,
    about="four numbers for any number of keys, drawn from the generator that is handed in",
)
def saturation_row_generator(student: Student, generator: torch.Generator) -> None:
    """The form of a row; then what a generator argument promises."""
    for setting in fresh_settings(generator)[4:-1]:
        found = row(student, setting)
        expect(bool(found.isfinite().all()), "NaN or infinity in a row", "finite numbers", "0 times log 0 is NaN")
    expect_generator_obeyed(student, "saturation_row", (7,), generator)


@check(
    "saturation_row_stds",
    cell="saturation_row",
    points=1,
    uses=USES,
    about="the unbiased standard deviations of raw and scaled scores, published rows among them",
)
def saturation_row_stds(student: Student, generator: torch.Generator) -> None:
    """Number by number: the order of the draws is part of the question."""
    settings = fresh_settings(generator)
    for column in (0, 1):
        expect_column(student, settings, column)


def is_own(student: Student, settings: list[Setting], column: int, generator: torch.Generator) -> bool:
    """Whether a column is what the student's own `entropy` makes of the right scores, in all settings and in any order."""
    if not is_usable(student, generator):
        return False

    def answered(setting: Setting) -> Tensor:
        found = row(student, setting)[column]
        return torch.where(found.isfinite(), found, NOT_A_NUMBER)

    for pair in pairs_of_entropies(student):

        def composed(setting: Setting, pair: Callable[[Tensor, Tensor], Tensor] = pair) -> Tensor:
            raw = reference.saturation_scores(setting.d_k, seeded(setting.seed), setting.n_keys)
            return pair(raw, raw / math.sqrt(setting.d_k))[column - 2]

        trials = [(setting,) for setting in settings]
        if agree_in_secret_orders(answered, composed, trials, generator, DRAWN):
            return True
    return False


@check(
    "saturation_row_entropy_raw",
    cell="saturation_row",
    points=0.5,
    uses=USES,
    about="the entropy of the raw scores' weights",
)
def saturation_row_entropy_raw(student: Student, generator: torch.Generator) -> None:
    """The reference's, or what the student's own `entropy` makes of the right scores."""
    settings = fresh_settings(generator)
    expect_column(student, settings, 2, lambda: is_own(student, settings, 2, generator))


@check(
    "saturation_row_entropy_scaled",
    cell="saturation_row",
    points=0.5,
    uses=USES,
    about="the entropy of the scaled scores' weights",
)
def saturation_row_entropy_scaled(student: Student, generator: torch.Generator) -> None:
    """The reference's, or what the student's own `entropy` makes of the right scores."""
    settings = fresh_settings(generator)
    expect_column(student, settings, 3, lambda: is_own(student, settings, 3, generator))
