"""Checks of `score_audit`, one for each column, and one for coordinates of other variances."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from grader_tests.m2.audit_columns import (
    MEANINGS,
    Setting,
    agree_where_defined,
    audit,
    expect_known,
    keeps_the_order,
    own_divisor,
    right_audits,
)
from grader_tests.m2.audit_laws import (
    RAW_VARIANCE,
    RAW_WEIGHT,
    SCALED_VARIANCE,
    SCALED_WEIGHT,
    call_outcome,
    chapter_outcomes,
    pair_outcomes,
    sharing_outcomes,
    spread_outcome,
)
from grader_tests.m2.laws import expect_outcomes
from grader_tests.references import variance as reference
from grader_tests.vocabulary.draws import DRAWN, agree, expect_generator_obeyed, fresh_seeds
from grading.checks import CheckFailed, check
from grading.expectations import expect
from grading.student import Student

USES = ("score_audit", "score_divisor", "score_variance")


@check(
    "score_audit_raw_variance",
    cell="score_audit",
    points=0.5,
    uses=USES,
    about="the variance of the raw scores, keys of its own for every query, one generator throughout",
)
def score_audit_raw_variance(student: Student, generator: torch.Generator) -> None:
    """What a generator argument promises; then number by number, or by the laws."""
    expect_generator_obeyed(student, "score_audit", ([5, 3, 5], 6, 4), generator)
    kept, mistake = keeps_the_order(student, generator, RAW_VARIANCE)
    if not kept:
        expect_known(mistake, RAW_VARIANCE)
        hint = "draw queries and keys from the generator that is handed in, in every call anew"
        expect_outcomes([call_outcome(student, generator)], hint)
        hint = "unbiased, of all scores together; every query has keys of its own, and every width draws anew"
        outcomes = [*pair_outcomes(student, generator), spread_outcome(student, generator)]
        expect_outcomes([*outcomes, *sharing_outcomes(student, generator, (RAW_VARIANCE,))], hint)


@check(
    "score_audit_raw_weights",
    cell="score_audit",
    points=0.5,
    uses=USES,
    about="each query's largest weight, averaged, without the scale",
)
def score_audit_raw_weights(student: Student, generator: torch.Generator) -> None:
    """Number by number, or by the law; and the chapter's figures, within what chance explains."""
    kept, mistake = keeps_the_order(student, generator, RAW_WEIGHT)
    if not kept:
        expect_known(mistake, RAW_WEIGHT)
        expect_whole_weight(student, generator, RAW_WEIGHT)
        hint = "softmax over the keys of each query, its largest weight, then the mean over the queries"
        expect_outcomes([*sharing_outcomes(student, generator, (RAW_WEIGHT,)), *chapter_outcomes(student, generator)], hint)


def expect_whole_weight(student: Student, generator: torch.Generator, column: int) -> None:
    """A query with one key gives it the weight one, whatever was drawn; exact."""
    found = audit(student, Setting([2, 5], 3, 1, *fresh_seeds(generator, 1)))[:, column]
    expect(bool(found.isfinite().all()), f"NaN or infinity among the {MEANINGS[column]}", "one, for queries with one key each")
    came = f"{MEANINGS[column]} of queries with one key each that is not one"
    expect(bool((found == 1.0).all()), came, "one: the softmax of a single score", "softmax over the keys of each query")


def expect_varied(found: Tensor) -> None:
    """Rows of one width that were drawn: they differ."""
    expect(bool((found[1:] != found[0]).any()), "rows of one width that are all the same", "a sample of its own for each row")


@check(
    "score_audit_scaled_variance",
    cell="score_audit",
    points=0.5,
    uses=USES,
    about="the variance of the scaled scores",
)
def score_audit_scaled_variance(student: Student, generator: torch.Generator) -> None:
    """It is the raw variance over the divisor squared, whatever was drawn and however the variance is estimated."""
    own, widths = own_divisor(student), [2, 3, 17, 50, 7, 7, 7]
    for n_queries, n_keys in ((2, 4), (6, 3)):
        found = audit(student, Setting(widths, n_queries, n_keys, *fresh_seeds(generator, 1)))
        raw, scaled = found[:, RAW_VARIANCE], found[:, SCALED_VARIANCE]
        expect_varied(raw[-3:])
        right = any(
            agree(scaled, raw / torch.tensor([divisor(w, 1.0, 1.0) ** 2 for w in widths]))
            for divisor in (reference.score_divisor, own)
        )
        if not right:
            mistake = keeps_the_order(student, generator, SCALED_VARIANCE)[1]
            came = "a scaled variance that is not the raw one over the divisor squared"
            raise CheckFailed(came, "the variance of the same scores, divided by score_divisor", mistake=mistake)


@check(
    "score_audit_scaled_weights",
    cell="score_audit",
    points=0.5,
    uses=USES,
    about="each query's largest weight, averaged, with the scale",
)
def score_audit_scaled_weights(student: Student, generator: torch.Generator) -> None:
    """Number by number, or by the relation to the raw weights and the law."""
    kept, mistake = keeps_the_order(student, generator, SCALED_WEIGHT)
    if kept:
        return
    expect_known(mistake, SCALED_WEIGHT)
    expect_whole_weight(student, generator, SCALED_WEIGHT)
    expect_scaled_odds(student, generator)
    outcomes = sharing_outcomes(student, generator, (SCALED_WEIGHT,), own_divisor(student))
    expect_outcomes(outcomes, "the same scores as in the raw column, divided by score_divisor before the softmax")


def expect_scaled_odds(student: Student, generator: torch.Generator) -> None:
    """With one query and two keys the log odds of the larger weight are the gap of the scores; scaling divides the gap."""
    widths, own = [1, 2, 3, 5, 3, 2] * 10, own_divisor(student)
    found = audit(student, Setting(widths, 1, 2, *fresh_seeds(generator, 1)))
    gaps = found[:, RAW_WEIGHT].logit()
    expect_varied(found[1::6, RAW_WEIGHT])
    right = any(
        close_where_clear(
            found[:, SCALED_WEIGHT], torch.sigmoid(gaps / torch.tensor([divisor(w, 1.0, 1.0) for w in widths])), gaps
        )
        for divisor in (reference.score_divisor, own)
    )
    came = "scaled weights that do not come from the raw scores over the divisor"
    expect(right, came, "softmax of the same scores, divided by score_divisor")


def close_where_clear(found: Tensor, expected: Tensor, gaps: Tensor) -> bool:
    """Agreement where a gap of scores can be read off a float32 weight at all: near one its digits are gone."""
    clear = gaps.abs() < 6.0
    return bool(clear.any()) and bool(((found - expected).abs()[clear] <= 10 * DRAWN).all())


@check(
    "score_audit_general",
    cell="score_audit",
    points=1,
    uses=USES,
    about="coordinates of other variances: the raw scores spread accordingly, the scaled ones as before",
)
def score_audit_general(student: Student, generator: torch.Generator) -> None:
    """Number by number; or beside the same audit with variances of one: the draws are the same, only larger."""
    own = own_divisor(student)
    for n_queries, n_keys, var_q, var_k in ((3, 4, 2.5, 0.6), (1, 2, 0.5, 3.0), (4, 3, 1.0, 2.0)):
        seed, widths = fresh_seeds(generator, 1)[0], [2, 9, 5]
        setting = Setting(widths, n_queries, n_keys, seed, var_q, var_k)
        found = audit(student, setting)
        if not any(
            agree_where_defined(found, right)
            for divisor in (reference.score_divisor, own)
            for right in right_audits(setting, divisor)
        ):
            plain = audit(student, Setting(widths, n_queries, n_keys, seed))
            try:
                expect_stretched(student, setting, plain, found)
            except CheckFailed as failure:
                if not right_by_law(student, generator):
                    raise failure from None
                return


def right_by_law(student: Student, generator: torch.Generator) -> bool:
    """Whether an audit with other variances is right by itself: for answers that then draw in another way."""
    variances = (2.5, 0.6)
    if not spread_outcome(student, generator, *variances).passed:
        return False
    widths = [2, 9, 5, 3] * 5
    (seed,) = fresh_seeds(generator, 1)
    raw, scaled, raw_weight, scaled_weight = audit(student, Setting(widths, 1, 2, seed, *variances)).T
    gaps = (2 * raw.clamp(min=0)).sqrt()  # of two scores, whose unbiased variance is half their gap squared
    for divisor in (reference.score_divisor, own_divisor(student)):
        divisors = torch.tensor([divisor(w, *variances) for w in widths])
        weights_right = close_where_clear(scaled_weight, torch.sigmoid(gaps / divisors), gaps)
        if agree(scaled, raw / divisors**2) and weights_right and close_where_clear(raw_weight, torch.sigmoid(gaps), gaps):
            return True
    return False


def expect_stretched(student: Student, setting: Setting, plain: Tensor, found: Tensor) -> None:
    """The columns of an audit with other variances, beside those with variances of one and the same draws."""
    own, ones = own_divisor(student), (1.0, 1.0)
    stretch = setting.var_q * setting.var_k
    expect(
        bool((plain[:, RAW_VARIANCE] > 0).all()), "a raw variance that is not positive", "the variance of scores that were drawn"
    )
    hint = "multiply the coordinates by the standard deviations, the roots of var_q and var_k"
    raw_right = agree(found[:, RAW_VARIANCE], plain[:, RAW_VARIANCE] * stretch)
    expect(
        raw_right,
        "a raw variance that did not grow by var_q times var_k",
        "var_q * var_k times the raw variance at variances of one",
        hint,
    )
    rates = [
        torch.tensor([stretch * (divisor(w, *ones) / divisor(w, setting.var_q, setting.var_k)) ** 2 for w in setting.widths])
        for divisor in (reference.score_divisor, own)
    ]
    hint = "the divisor takes var_q and var_k into account"
    scaled_right = any(agree(found[:, SCALED_VARIANCE], plain[:, SCALED_VARIANCE] * rate) for rate in rates)
    expect(scaled_right, "a scaled variance that does not fit the divisor", "the raw variance over the divisor squared", hint)
    expect_stretched_weights(setting, plain, found, rates)


def expect_stretched_weights(setting: Setting, plain: Tensor, found: Tensor, rates: Sequence[Tensor]) -> None:
    """Weights where they tell the gap of the scores: with one query and two keys."""
    hint = "raw weights come from the raw scores, scaled weights from the scaled ones"
    if (setting.n_queries, setting.n_keys) != (1, 2):
        return
    for column, growth in ((RAW_WEIGHT, [torch.tensor(setting.var_q * setting.var_k)]), (SCALED_WEIGHT, rates)):
        gaps = plain[:, column].logit()
        right = any(
            not bool((gaps.abs() < 6.0).any()) or close_where_clear(found[:, column], torch.sigmoid(gaps * rate.sqrt()), gaps)
            for rate in growth
        )
        expect(right, f"a {MEANINGS[column]} that does not follow from the same draws", "softmax of the scores drawn", hint)
