"""Every clause of the list of known attacks is tried by some attack here, and no attack is there that no clause names."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.tamper.cohort import HONEST, attacks

CLAUSES = tomllib.loads((Path(__file__).parent / "clauses.toml").read_text())


def test_every_clause_is_tried_by_attacks_that_are_there() -> None:
    for clause, names in ((c, n) for part in CLAUSES.values() for c, n in part.items()):
        assert names, clause
        assert [name for name in names if name not in attacks()] == [], clause


def test_every_attack_belongs_to_a_clause() -> None:
    named = {name for part in CLAUSES.values() for names in part.values() for name in names}
    assert attacks().keys() - named == set()


def test_honest_students_stand_before_between_and_after_attackers_and_no_name_is_part_of_another() -> None:
    attackers = [attack.student for attack in attacks().values()]
    order = sorted([*attackers, *HONEST])
    places = [order.index(student) for student in HONEST]
    assert (places[0], places[-1]) == (0, len(order) - 1)
    assert len(places[1:-1]) >= 3
    assert [(a, b) for a in order for b in order if a != b and a in b] == []
