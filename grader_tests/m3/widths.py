"""Checks of `collapse_width`: only thresholds that no sampling error reaches, so that any order of the draws is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from grader_tests.m3 import laws, own_laws
from grader_tests.m3.answers import asked_width, number_or_none, width_or_none
from grader_tests.m3.laws import Question
from grader_tests.m3.own import Statistic, excuses, mean_entropies
from grader_tests.m3.sides import expect_fresh_sides
from grader_tests.references import entropy as reference
from grader_tests.vocabulary.draws import fresh_seeds, running_generator
from grading.checks import CheckFailed, check
from grading.expectations import expect
from grading.student import Seeded, Student, StudentError, StudentFault

DEFAULT_CALLS = 30
USES = ("collapse_width", "entropy")


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


def is_own_choice(
    student: Student, questions: Sequence[Question], seeds: Sequence[int], statistic: Statistic, generator: torch.Generator
) -> bool:
    """Whether all answers are those of a student's own mean entropies: draw by draw, or wherever their law allows no other.

    Thresholds that suit right entropies may tell nothing of wrong ones, so that one of the scale is put for these alone.
    """
    try:
        found = [asked_width(student, question, seed) for question, seed in zip(questions, seeds, strict=True)]
        fits = found == laws.answers_in_order(questions, seeds, statistic) or all_allowed(found, questions, seeds, statistic)
        return fits and is_unscaled(student, statistic, generator)
    except (StudentFault, CheckFailed):
        return False


def is_unscaled(student: Student, statistic: Statistic, generator: torch.Generator) -> bool:
    """Whether a student's own mean entropies are those of unscaled scores: by one threshold far from both, else draw by draw."""
    scale = own_laws.question_of_scale(statistic, generator)
    if scale is not None:
        return asked_width(student, scale, *fresh_seeds(generator, 1)) == scale.answer
    pairs = laws.pairs_of_widths(statistic, generator)
    answers = [asked_width(student, *pair) for pair in pairs]
    return len(pairs) >= laws.FEWEST_PAIRS and answers == [question.answer for question, _ in pairs]


def all_allowed(found: Sequence[float | None], questions: Sequence[Question], seeds: Sequence[int], statistic: Statistic) -> bool:
    """Whether answers fit the law of a student's own mean entropies; of its standings half at least must be sure."""
    sure = total = 0
    for answer, question, seed in zip(found, questions, seeds, strict=True):
        standings = [laws.standing(question, width, statistic, seed) for width in question.widths]
        sure, total = sure + sum(s is not None for s in standings), total + len(standings)
        if not allowed(answer, question.widths, standings):
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
        own = mean_entropies(student) if excuses(student, generator) else iter(())
        if not any(is_own_choice(student, questions, seeds, statistic, generator) for statistic in own):
            raise
    expect_list_left_alone(student, questions[0], seeds[0])


def expect_list_left_alone(student: Student, question: Question, seed: int) -> None:
    """The list of widths, given from the largest to the smallest, is afterwards what it was."""
    reply = student.ask("collapse_width", list(question.widths), question.threshold, Seeded(seed))
    hint = "sorted(widths) is a new list; widths.sort() and widths.pop(0) change the caller's"
    expect("0" not in reply.changed, "the list of widths was changed", "a list that is left as it is", hint)


def keeps_the_order(student: Student, statistic: Statistic, generator: torch.Generator) -> bool:
    """What a generator argument promises; then whether draws are the reference's, in their order, with this statistic.

    One seed repeats, two seeds differ, a generator goes on from call to call, and nothing else is drawn from. The answers of
    forty pairs at least are all alike with a chance of 1e-9 where one is given three times out of five, and mostly of 2^-39.
    """
    pairs = laws.pairs_of_widths(statistic, generator)
    expect(len(pairs) >= laws.FEWEST_PAIRS, "mean entropies that hardly change with the draws", "entropies of what was drawn")
    first = [width_or_none(student, *pair) for pair in pairs]
    if set(first) == {None}:  # an error of every call is told as such
        asked_width(student, *pairs[0])
    again = [width_or_none(student, *pair) for pair in reversed(pairs)][::-1]
    hint = "draw every number from the generator that is handed in: torch.randn(..., generator=generator)"
    expect(first == again, "different answers for two generators in the same state", "the same draws", hint)
    expect(len(set(first)) > 1, "one answer for sixty generators with different seeds", "draws that differ with the seed", hint)
    expect_going_on(student, *pairs[0])
    return first == [question.answer for question, _ in pairs]


def expect_going_on(student: Student, question: Question, seed: int) -> None:
    """Sixty calls with one generator have several answers, and leave the global random state as it was."""
    running, answers, moved = running_generator(student, seed), set(), False
    sizes = question.n_queries, question.n_keys
    for _ in range(laws.PAIRS):
        try:
            reply = student.ask("collapse_width", list(question.widths), question.threshold, running, *sizes)
            answers.add(number_or_none(reply.value))
            moved = moved or reply.random_moved
        except StudentError:  # in the place of None
            answers.add(None)
    hint = "do not seed inside the function: whoever calls it decides on the generator's state"
    expect(len(answers) > 1, "one answer for sixty calls with one generator", "new draws at every call", hint)
    expect(not moved, "`collapse_width` changed the state of the global random generator", "draws from the given one alone")


def expect_sampled(student: Student, questions: Sequence[Question], seeds: Sequence[int]) -> None:
    """Means on the right side of thresholds that the right law keeps to."""
    for question, seed in zip(questions, seeds, strict=True):
        below = width_or_none(student, question, seed) is not None
        if below != (question.answer is not None):
            came = f"a mean entropy {'below' if below else 'not below'} a threshold where the right law gives the contrary"
            hint = "normal queries and keys, every query with keys of its own; the mean over all queries, not scaled"
            raise CheckFailed(came, "the mean entropy of scores as described, in any order of drawing", hint)


def expect_single_queries(student: Student, generator: torch.Generator) -> None:
    """One query is no mean: forty of them are all on one side of the middle of their law with a chance of 2^-39."""
    question = Question((2,), laws.MIDDLE, 1, 5)
    answers = {width_or_none(student, question, seed) for seed in fresh_seeds(generator, laws.SINGLES)}
    hint = "are n_queries queries drawn, whatever that number is?"
    expect(len(answers) > 1, "single queries whose entropies hardly differ", "entropies that spread", hint)


@check(
    "collapse_width_draws",
    cell="collapse_width",
    points=1,
    uses=USES,
    about="the mean over queries with keys of their own, drawn from the generator that is handed in",
)
def collapse_width_draws(student: Student, generator: torch.Generator) -> None:
    """Draw by draw, or means near their expectation; with right entropies, or with the student's own."""
    questions = laws.questions_of_law()
    try:
        if not keeps_the_order(student, right_mean, generator):
            expect_sampled(student, questions, fresh_seeds(generator, len(questions)))
            expect_single_queries(student, generator)
            expect_fresh_sides(student, right_mean, generator)
    except CheckFailed:
        own = mean_entropies(student) if excuses(student, generator) else iter(())
        if not any(is_own_sampling(student, statistic, generator) for statistic in own):
            raise
    expect_defaults(student, generator)


def expect_defaults(student: Student, generator: torch.Generator) -> None:
    """Sizes that are left out are 200 and 5: the answers are those of calls that name them, draw for draw.

    The threshold is the mean of the right law, so that every second answer is None. Other numbers of keys agree in all calls with
    a chance of 2^-30, one query more or less in seven calls of ten, since the others are the same: in all with one of 3e-5. That
    one seed repeats its answer has been asked before.
    """
    question = Question((2,), laws.ENTROPIES[2, 5][0])
    for seed in fresh_seeds(generator, DEFAULT_CALLS):
        left_out, named = (width_or_none(student, replace(question, named=named), seed) for named in (False, True))
        hint = "keep the signature: n_queries=200, n_keys=5"
        expect(left_out == named, "another answer without n_queries and n_keys than with 200 and 5", "the same answer", hint)


def right_mean(scores: Tensor) -> float:
    """The mean of the rows' entropies (n_queries, n_keys)."""
    return float(reference.entropy(scores).mean())


def is_own_sampling(student: Student, statistic: Statistic, generator: torch.Generator) -> bool:
    """Whether a sampler is right but for the `entropy` that it uses: draw by draw, or by a law that tells it from others."""
    try:
        if keeps_the_order(student, statistic, generator):
            return True
        if not own_laws.is_own(student, statistic, generator):
            return False
        expect_fresh_sides(student, statistic, generator)
    except (StudentFault, CheckFailed):
        return False
    return True
