"""Checks of `collapse_width`: only thresholds that no sampling error reaches, so that any order of the draws is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from grader_tests.m3 import laws
from grader_tests.m3.laws import Question
from grader_tests.m3.own import Statistic, is_usable, mean_entropies
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.draws import fresh_seeds, running_generator, seeded
from grading.checks import CheckFailed, check
from grading.expectations import describe, expect
from grading.student import Seeded, Student, StudentError, StudentFault

USES = ("collapse_width", "entropy")
SINGLES = 60


def asked_width(student: Student, question: Question, seed: int) -> float | None:
    """The student's answer: a number, or None. Raises CheckFailed for anything else."""
    more = () if question.defaults else (question.n_queries, question.n_keys)
    return number_or_none(student.collapse_width(list(question.widths), question.threshold, Seeded(seed), *more))


def number_or_none(value: object) -> float | None:
    """A number, whatever its type, or None."""
    if isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex():
        value = value.item()
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise CheckFailed(f"the width as {describe(value)}", "one of the widths, or None where no width collapses")
    return float(value) if abs(value) < 1e300 else float("inf")


def expect_answers(student: Student, questions: Sequence[Question], seeds: Sequence[int]) -> None:
    """The width that each question has for an answer; the known mistake that it is otherwise."""
    for question, seed in zip(questions, seeds, strict=True):
        found = asked_width(student, question, seed)
        if found != question.answer:
            told = "None" if found is None else "a width that is not the smallest collapsed one"
            expected = (
                "None: no mean entropy is below the threshold" if question.answer is None else "the smallest collapsed width"
            )
            raise CheckFailed(told, expected, mistake=question.mistakes.get(found, ""))


def is_own_choice(student: Student, questions: Sequence[Question], seeds: Sequence[int], statistic: Statistic) -> bool:
    """Whether all answers are what a student's own mean entropies allow; half of these at least must be sure."""
    sure = total = 0
    try:
        for question, seed in zip(questions, seeds, strict=True):
            standings = [laws.standing(question, width, statistic, seed) for width in question.widths]
            sure, total = sure + sum(s is not None for s in standings), total + len(standings)
            if not allowed(asked_width(student, question, seed), question.widths, standings):
                return False
    except (StudentFault, CheckFailed):
        return False
    return 2 * sure >= total


def allowed(found: float | None, widths: Sequence[int], standings: Sequence[bool | None]) -> bool:
    """Whether an answer fits widths of which some are surely below the threshold (True), some surely not (False)."""
    surely = [width for width, below in zip(widths, standings, strict=True) if below]
    if found is None:
        return not surely
    perhaps = [width for width, below in zip(widths, standings, strict=True) if below is not False]
    return found in perhaps and all(found <= width for width in surely)


@check(
    "collapse_width_smallest",
    cell="collapse_width",
    points=1,
    uses=USES,
    about="the smallest width, by value, whose mean unscaled entropy is below the threshold; None where there is none",
)
def collapse_width_smallest(student: Student, generator: torch.Generator) -> None:
    """The reference's answers; or those that the student's own `entropy` gives."""
    questions = laws.questions_of_choice(generator)
    seeds = fresh_seeds(generator, len(questions))
    try:
        expect_answers(student, questions, seeds)
    except CheckFailed:
        own = mean_entropies(student) if is_usable(student, generator) else iter(())
        if not any(is_own_choice(student, questions, seeds, statistic) for statistic in own):
            raise


def is_below(student: Student, question: Question, seed: int) -> bool:
    """Whether the student finds the only width of a question below its threshold; None, or an error in its place, says no."""
    try:
        return asked_width(student, question, seed) == question.widths[0]
    except StudentError as error:
        if "NotImplementedError" in error.classes:
            raise
        return False


def expect_generator(student: Student, middle: float, generator: torch.Generator) -> None:
    """One seed repeats, two seeds differ, a generator goes on from call to call, and nothing else is drawn from.

    A single query is below the middle of its law every second time, so sixty of them are all alike with a chance of 2^-59, and of
    3e-11 where the middle is known so badly that two thirds lie on one side. Who draws elsewhere repeats with 2^-60.
    """
    single = Question((2,), middle, 1, 5)
    seeds = fresh_seeds(generator, SINGLES)
    first = [is_below(student, single, seed) for seed in seeds]
    again = [is_below(student, single, seed) for seed in reversed(seeds)][::-1]
    hint = "draw every number from the generator that is handed in: torch.randn(..., generator=generator)"
    expect(first == again, "different answers for two generators in the same state", "the same draws", hint)
    expect(len(set(first)) == 2, "one answer for sixty generators with different seeds", "draws that differ with the seed", hint)
    expect_going_on(student, single, seeds[0])


def expect_going_on(student: Student, single: Question, seed: int) -> None:
    """Sixty calls with one generator have both answers, and leave the global random state as it was."""
    running, answers, moved = running_generator(student, seed), set(), False
    for _ in range(SINGLES):
        try:
            reply = student.ask("collapse_width", list(single.widths), single.threshold, running, 1, 5)
            answers.add(number_or_none(reply.value))
            moved = moved or reply.random_moved
        except StudentError:  # in the place of None
            answers.add(None)
    hint = "do not seed inside the function: whoever calls it decides on the generator's state"
    expect(len(answers) == 2, "one answer for sixty calls with one generator", "new draws at every call", hint)
    expect(not moved, "`collapse_width` changed the state of the global random generator", "draws from the given one alone")


def expect_sampled(student: Student, questions: Sequence[Question], seeds: Sequence[int], about: str) -> None:
    """Means on the right side of thresholds that the right law keeps to."""
    for question, seed in zip(questions, seeds, strict=True):
        below = is_below(student, question, seed)
        if below != (question.answer is not None):
            came = f"a mean entropy {'below' if below else 'not below'} a threshold where {about} gives the contrary"
            hint = "normal queries and keys, every query with keys of its own; the mean over all queries, not scaled"
            raise CheckFailed(came, "the mean entropy of scores as described, in any order of drawing", hint)


@check(
    "collapse_width_draws",
    cell="collapse_width",
    points=1,
    uses=USES,
    about="the mean over queries with keys of their own, drawn from the generator that is handed in",
)
def collapse_width_draws(student: Student, generator: torch.Generator) -> None:
    """What a generator argument promises; then means near their expectation. The same with the student's own `entropy`."""
    try:
        expect_generator(student, laws.MIDDLE_OF_SINGLES, generator)
        questions = laws.questions_of_law()
        expect_sampled(student, questions, fresh_seeds(generator, len(questions)), "the right law")
    except CheckFailed:
        if not any(is_own_sampling(student, statistic, generator) for statistic in own_statistics(student, generator)):
            raise


def own_statistics(student: Student, generator: torch.Generator) -> Iterator[Statistic]:
    """Mean entropies by the student's own `entropy`, where it is usable."""
    yield from mean_entropies(student) if is_usable(student, generator) else ()


def is_own_sampling(student: Student, statistic: Statistic, generator: torch.Generator) -> bool:
    """Whether a sampler is right but for the `entropy` that it uses."""
    draws = seeded(fresh_seeds(generator, 1)[0])
    try:
        singles = sorted(statistic(reference.collapse_scores(2, 1, 5, draws)) for _ in range(laws.REPLICATES * 4 + 1))
        expect_generator(student, singles[len(singles) // 2], generator)
        questions = list(laws.own_questions(statistic, draws))
        expect_sampled(student, questions, fresh_seeds(generator, len(questions)), "the student's own entropy")
    except (StudentFault, CheckFailed):
        return False
    return True
