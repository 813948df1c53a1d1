"""How often the statistical tests of m2_variance err, counted: each test on each zoo answer that it is there for.

    .venv/bin/python -m tests.measure_m2 [--seeds 2000]

A line a test and answer: the share of seeds in which the answer fails, and the extreme value of its statistic over the bound. A right
answer (with a draw order of its own, or it would never meet these tests) is never to fail, a wrong one always.
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


def sharing(column: int) -> Statistic:
    """The sharing test of one column of the audit."""
    return lambda student, generator: [audit_laws.sharing_outcome(student, generator, column)]


TESTS: Mapping[str, tuple[Statistic, tuple[str, ...]]] = {
    "dot products, width": (
        sampler.width_outcomes,
        tuple(_DOT + name for name in ("same_vector_twice", "mean_for_sum", "prescaled", "rand_for_randn")),
    ),
    "dot products, law": (
        sampler.law_outcomes,
        tuple(
            _DOT + name
            for name in (
                *("uniform", "one_side_uniform", "signs", "normal_shortcut", "normal_shortcut_float64", "one_key_for_all"),
                *("one_key_first", "same_vector_twice", "mean_for_sum", "one_coordinate_short", "absolute", "rand_for_randn"),
            )
        ),
    ),
    "dot products, single rows": (
        lambda student, generator: [sampler.single_outcome(student, generator)],
        tuple(_DOT + name for name in ("key_is_shuffled_queries", "key_is_shifted_queries", "same_vector_twice")),
    ),
    "table, estimates": (
        table.estimate_outcomes,
        (_TABLE + "of_scaled_scores", _TABLE + "std_first", "wrong_several_same_vector_everywhere"),
    ),
    "table, pairs": (
        lambda student, generator: [table.pair_outcome(student, generator)],
        tuple(
            _TABLE + name
            for name in (
                *("population", "population_keys_first", "second_moment", "theory", "theory_with_noise", "uniform"),
                *("theory_with_shrinking_noise", "restarts_generator", "seeded_rows", "prefixes", "normal_shortcut"),
            )
        ),
    ),
    "audit, pairs": (
        audit_laws.pair_outcomes,
        tuple(_AUDIT + name for name in ("population_keys_first", "theory", "theory_with_noise", "restarts_generator")),
    ),
    "audit, sharing, variance": (
        sharing(0),
        tuple(_AUDIT + name for name in ("shared_keys", "shared_query", "first_query_only", "theory")),
    ),
    "audit, sharing, raw weights": (
        sharing(2),
        tuple(_AUDIT + name for name in ("shared_keys", "shared_query", "uniform", "normal_shortcut", "median")),
    ),
    "audit, sharing, scaled weights": (
        sharing(3),
        tuple(_AUDIT + name for name in ("shared_keys", "shared_query", "uniform", "normal_shortcut", "not_scaled")),
    ),
    "audit, published weights": (
        audit_laws.chapter_outcomes,
        tuple(_AUDIT + name for name in ("mean_weight", "softmax_over_queries", "largest_of_all")),
    ),
}


def measure(seeds: int) -> Iterator[Measured]:
    """Every test on the answers that it is there for, with so many seeds."""
    for test, (statistic, wrong) in TESTS.items():
        for answer in (*RIGHT, *wrong):
            student = local_student(names_of(answer), "")
            ratios = [worst(statistic(student, check_generator(seed, test))) for seed in range(seeds)]
            share = sum(ratio > 1 for ratio in ratios) / seeds
            yield Measured(test, answer, share, max(ratios) if answer in RIGHT else min(ratios))


def worst(outcomes: Sequence[Outcome]) -> float:
    """The largest value over its bound; infinite where a value is no number."""
    return max(math.inf if math.isnan(o.value) else o.value / o.bound for o in outcomes)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2000)
    print(f"{'test':<32}{'answer':<56}{'share that fails':>17}{'extreme / bound':>17}")
    for found in measure(parser.parse_args().seeds):
        note = "" if found.as_meant else "   NOT AS MEANT"
        print(f"{found.test:<32}{found.answer:<56}{found.share:>17.4f}{found.extreme:>17.3f}{note}", flush=True)


if __name__ == "__main__":
    main()
