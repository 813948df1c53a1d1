"""What a run tells while it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grading.cohort import Outcome
from grading.progress import Tally, in_lines, in_time
from grading.results import Graded
from grading.verdict import Result

RESULT = Result("ada", "m1", "graded", 1.0, 2.0, 0.0, 7, (), (), 0.1, "none")


class Clock:
    """A clock that is set by hand."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def outcome(status: str = "graded", stood: bool = False) -> Outcome:
    return Outcome(Graded(replace(RESULT, status=status), frozenset(), None), stood)


def test_the_rate_and_the_time_left_are_those_of_what_this_run_has_scored() -> None:
    clock = Clock()
    tally = Tally(100, clock)
    for _ in range(40):
        tally.add(outcome(stood=True))
    assert tally.in_words() == "40 of 100 done, 40 of them stand from earlier, 0 ungraded so far"
    clock.now_s = 10.0
    for status in ["graded"] * 19 + ["ungraded"]:
        tally.add(outcome(status))
    expected = "60 of 100 done, 40 of them stand from earlier, 2.0 a second, about 20 s left, 1 ungraded so far"
    assert tally.in_words() == expected


def test_a_log_has_a_line_a_minute_and_one_at_the_end() -> None:
    clock, lines = Clock(), list[str]()
    tell = in_lines(Tally(200, clock), clock, lines.append)
    for _ in range(200):
        clock.now_s += 1.0
        tell(outcome())
    assert [line.split(",")[0] for line in lines] == ["60 of 200 done", "120 of 200 done", "180 of 200 done", "200 of 200 done"]


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (3599, "59 min 59 s"), (90_061, "25 h 1 min")])
def test_times_have_two_units(seconds: float, words: str) -> None:
    assert in_time(seconds) == words
