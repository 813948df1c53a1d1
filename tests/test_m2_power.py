"""Fifty seeds of tests/measure_m2.py: right answers never fail a statistical test, the nearest wrong ones always do."""

from __future__ import annotations

from tests.measure_m2 import measure


def test_over_fifty_seeds_no_right_answer_fails_and_no_wrong_one_passes() -> None:
    found = list(measure(50, quick=True))
    assert [m for m in found if not m.as_meant] == []
    assert {m.answer.startswith("right_") for m in found} == {True, False}
    assert max(m.extreme for m in found if m.answer.startswith("right_")) < 0.9
