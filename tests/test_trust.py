"""The page of the grader's errors: its tables and figures say what was counted, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.trust.figures import draw_matrix, matrix_of
from tests.trust.records import Records, read_records
from tests.trust.tables import ENOUGH, TABLES, filled, risk, small, table

PAGE = Path(__file__).parent / "trust" / "page.md"


def made_up_zoo() -> dict[str, Any]:
    rows = [
        {"answer": "wrong_a", "right": False, "failed": ["values", "form"]},
        {"answer": "wrong_b", "right": False, "failed": ["form"]},
        {"answer": "right_a", "right": True, "failed": []},
    ]
    named = {"accepted": [], "rejected": [], "dead": [], "redundant": ["values"], "fragile": {"wrong_b": "form"}}
    return {"assignment": "m", "checks": ["values", "form"], "rows": rows, **named}


def counted(check: str, answer: str, tail: float, seeds: int = ENOUGH) -> dict[str, Any]:
    return {"check": check, "answer": answer, "seeds": seeds, "turned": 0, "margin": 0.02, "tail": tail}


@pytest.fixture
def records() -> Records:
    totals = {"mutants": 40, "killed": 37, "equivalent": 2, "not asked": 1, "surviving": 0, "ungraded": 0}
    mutants = {"assignment": "m", "population": 40, "totals": totals, "kinds": {"axis": totals}}
    styles = {"assignment": "m", "styles": 3, "styled_answers": 12, "composed_answers": 5, "by_style": {"einsum": 4}, "lost": []}
    law = {"check": "values", "test": "the law", "false_fail": 2e-10, "false_pass": 1e-20, "nearest": "uniform"}
    right, wrong = [counted("values", "the solution", 3e-11)], [counted("values", "wrong_a", 1e-5)]
    chance = {"seeds": ENOUGH, "right": right, "wrong": wrong, "laws": [law]}
    return Records({"m": made_up_zoo()}, {"m": mutants}, {"m": styles}, {"m": chance})


def test_the_page_has_every_table_once_and_the_counts_in_them(records: Records) -> None:
    page = filled(PAGE.read_text(), records)
    assert all(page.count(f"<!-- table: {name} -->") == 1 for name in TABLES)
    for row in (
        "| m | 2 | 0 | 1 | 0 | 2 | 0 | 1 | 1 |",
        "| together | 2 | 0 | 1 | 0 | 2 | 0 | 1 | 1 |",
        "| m | values |",
        "| m | 40 | 37 | 2 | 1 | 0 |",
        "| axis | 40 | 37 | 2 | 1 |",
        "| m | 3 | 12 | 5 | 0 |",
        "| together | 1 | 12 | 5 | 0 |",
        "| m | 1 | 10,000 | 0 | 0.02 | 3e-11 | 2e-10 | 2e-10 |",
        "| values | 0 of 10,000 | 0.02 | 3e-11 | `a` | 0 of 10,000 | 0.02 | 1e-05 |",
        "| values | the law | 2e-10 | 1e-20 | uniform |",
    ):
        assert row in page.splitlines(), row
    assert filled(page, records) == page


def test_no_tail_is_told_from_few_seeds(records: Records) -> None:
    few = {**records.chance["m"], "seeds": 200, "right": [counted("values", "the solution", 0.04, 200)]}
    lines = filled(PAGE.read_text(), replace(records, chance={"m": few})).splitlines()
    assert "| m | 1 | 200 | 0 | 0.02 |  | 2e-10 |  |" in lines
    assert "| values | 0 of 200 | 0.02 |  | `a` | 0 of 10,000 | 0.02 | 1e-05 |" in lines


def test_the_risk_is_that_of_tails_and_of_statistical_tests(records: Records) -> None:
    assert risk(records.chance["m"]) == pytest.approx(2.3e-10)


def test_records_are_what_the_commands_printed_and_the_last_of_an_assignment_counts(tmp_path: Path) -> None:
    zoo = made_up_zoo()
    for name in ("mutants", "styles"):
        (tmp_path / f"{name}.jsonl").write_text("")
    (tmp_path / "zoo.jsonl").write_text(f"{json.dumps({**zoo, 'checks': []})}\n{json.dumps(zoo)}\n")
    (tmp_path / "chance.json").write_text("{}")
    assert read_records(tmp_path) == Records({"m": zoo}, {}, {}, {})
    (tmp_path / "styles.jsonl").unlink()
    with pytest.raises(OSError, match="styles"):
        read_records(tmp_path)


def test_a_figure_has_a_dark_cell_where_one_check_fails_alone(tmp_path: Path) -> None:
    names, marks = matrix_of(made_up_zoo())
    assert names == ["a", "b"]
    assert np.array_equal(marks, [[0.55, 0.55], [1.0, 0.0]])
    for name in ("one", "two"):
        draw_matrix(made_up_zoo(), tmp_path / f"{name}.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_table_nobody_makes_is_no_table_of_the_page(records: Records) -> None:
    with pytest.raises(KeyError):
        filled("<!-- table: nothing -->\n<!-- end -->", records)


def test_chances_are_written_as_people_write_them() -> None:
    assert [small(value) for value in (0.0, 1e-250, 3.21e-9, 0.0213, 0.5)] == ["0", "0", "3e-09", "0.021", "0.5"]
    assert table(("a", "b"), [(1, 2)]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
