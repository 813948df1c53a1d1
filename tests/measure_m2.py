"""How often the statistical tests of m2_variance err, counted: each test on each zoo answer that it is there for.

    .venv/bin/python -m tests.measure_m2 [--seeds 2000] [--only "table"]

A line a test and answer: the share of seeds in which the answer fails, and the extreme value of its statistic over the bound.
A right answer (with a draw order of its own, or it would never meet these tests) is never to fail, a wrong one always. All
of it with 2,000 seeds takes two hours; tests/test_m2_power.py runs a part.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from grader_tests.m2 import audit_laws, sampler, table
from grader_tests.m2.laws import Outcome
from grading.checks import check_generator
from grading.student import Student, local_student
from tests.m2_names import names_of

Statistic = Callable[[Student, torch.Generator], Sequence[Outcome]]
_DOT, _TABLE, _AUDIT = "wrong_dot_products_", "wrong_variance_table_", "wrong_score_audit_"
RIGHT = ("right_keys_first", "right_float64_draws")


@dataclass(frozen=True)
class Measured:
    """One test on one answer: over the seeds, the share that fails and the extreme of value over bound."""

    test: str
    answer: str
    share: float
    extreme: float

    @property
    def as_meant(self) -> bool:
        """Whether a right answer never failed, or a wrong one always."""
        return self.share == (0.0 if self.answer.startswith("right_") else 1.0)


@dataclass(frozen=True)
class Test:
    """A statistical test, the wrong answers that it is to catch, and how many of them (the nearest first) a quick run asks."""

    statistic: Statistic
    wrong: tuple[str, ...]
    nearest: int


def sharing(*columns: int) -> Statistic:
    """The sharing test of some columns of the audit."""
    return lambda student, generator: audit_laws.sharing_outcomes(student, generator, columns)


def named(start: str, names: str) -> tuple[str, ...]:
    """Files of the zoo with one beginning."""
    return tuple(start + name for name in names.split())


TESTS: Mapping[str, Test] = {
    "dot products, width": Test(
        sampler.width_outcomes, named(_DOT, "sixty_four_coordinates prescaled rand_for_randn mean_for_sum same_vector_twice"), 2
    ),
    "dot products, law": Test(
        sampler.law_outcomes,
        named(
            _DOT,
            "one_side_uniform one_key_for_all one_key_first uniform normal_shortcut normal_shortcut_float64 one_coordinate_short "
            "mean_for_sum signs absolute same_vector_twice rand_for_randn",
        ),
        6,
    ),
    "dot products, neighbours": Test(
        sampler.neighbour_outcomes, named(_DOT, "keys_twice key_for_two_rows key_for_ten_rows sorted antithetic clamped"), 2
    ),
    "dot products, calls": Test(
        lambda student, generator: [sampler.call_outcome(student, generator)],
        named(
            _DOT,
            "key_from_a_fixed_seed query_from_a_fixed_seed key_from_the_next_seed key_from_numpys_fixed_seed keys_drawn_once",
        ),
        1,
    ),
    "dot products, single rows": Test(
        lambda student, generator: [sampler.single_outcome(student, generator)],
        named(_DOT, "key_is_shuffled_queries key_is_shifted_queries same_vector_twice"),
        1,
    ),
    "dot products, products of rows": Test(
        lambda student, generator: [sampler.product_outcome(student, generator)],
        named(_DOT, "key_is_shuffled_queries_save_alone key_is_shuffled_queries key_is_shifted_queries"),
        1,
    ),
    "table, estimates": Test(
        table.estimate_outcomes, (*named(_TABLE, "std_first of_scaled_scores"), "wrong_several_same_vector_everywhere"), 1
    ),
    "table, pairs": Test(
        lambda student, generator: [table.pair_outcome(student, generator)],
        named(
            _TABLE,
            "uniform population population_keys_first normal_shortcut second_moment restarts_generator prefixes "
            "theory_with_shrinking_noise theory theory_with_noise seeded_rows",
        ),
        1,
    ),
    "audit, pairs": Test(
        audit_laws.pair_outcomes, named(_AUDIT, "population_keys_first restarts_generator theory_with_noise theory"), 0
    ),
    "audit, calls": Test(
        lambda student, generator: [audit_laws.call_outcome(student, generator)], named(_AUDIT, "keys_from_a_fixed_seed"), 0
    ),
    "audit, spread": Test(
        lambda student, generator: [audit_laws.spread_outcome(student, generator)], named(_AUDIT, "uniform normal_shortcut"), 0
    ),
    "audit, sharing, variance": Test(sharing(0), named(_AUDIT, "shared_keys shared_query theory first_query_only"), 1),
    "audit, sharing, raw weights": Test(sharing(2), named(_AUDIT, "shared_keys shared_query uniform median normal_shortcut"), 0),
    "audit, sharing, scaled weights": Test(
        sharing(3), named(_AUDIT, "shared_keys shared_query uniform normal_shortcut not_scaled"), 1
    ),
    "audit, published weights": Test(
        audit_laws.chapter_outcomes, named(_AUDIT, "largest_of_all mean_weight softmax_over_queries"), 1
    ),
}


def measure(seeds: int, *, quick: bool = False, only: str = "") -> Iterator[Measured]:
    """Tests whose names hold `only`, on the answers they are for; a quick run asks one right one and the nearest wrong ones."""
    for name, test in TESTS.items():
        if only not in name or (quick and not test.nearest):
            continue
        answers = (RIGHT[0], *test.wrong[: test.nearest]) if quick else (*RIGHT, *test.wrong)
        students = {answer: local_student(names_of(answer), "") for answer in answers}
        ratios: dict[str, list[float]] = {answer: [] for answer in answers}
        for seed in range(seeds):
            for answer, student in students.items():
                ratios[answer].append(worst(test.statistic(student, check_generator(seed, name))))
        for answer, found in ratios.items():
            share = sum(ratio > 1 for ratio in found) / seeds
            yield Measured(name, answer, share, max(found) if answer in RIGHT else min(found))


def worst(outcomes: Sequence[Outcome]) -> float:
    """The largest value over its bound; infinite where a value is no number."""
    return max(math.inf if math.isnan(o.value) else o.value / o.bound for o in outcomes)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--only", default="", help="a part of a test's name")
    arguments = parser.parse_args()
    print(f"{'test':<32}{'answer':<56}{'share that fails':>17}{'extreme / bound':>17}")
    for found in measure(arguments.seeds, only=arguments.only):
        note = "" if found.as_meant else "   NOT AS MEANT"
        print(f"{found.test:<32}{found.answer:<56}{found.share:>17.4f}{found.extreme:>17.3f}{note}", flush=True)


if __name__ == "__main__":
    main()
