"""docs/trust.md says what was counted, of the answers and checks that there are now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grading.course import find_course, load_plan
from tests.chance.counts import drawing_checks
from tests.trust.figures import draw_matrix, matrix_of
from tests.trust.records import FOLDER, Records, read_records
from tests.trust.tables import ENOUGH, TABLES, filled, risk, small, table
from tests.zoo_answers import read_zoo

NAMES = find_course().assignments()


@pytest.fixture(scope="module")
def records() -> Records:
    return read_records()


def test_the_tables_of_the_page_are_those_of_the_counts(records: Records) -> None:
    page = (FOLDER.parent / "trust.md").read_text()
    assert page == filled(page, records), "make them anew: .venv/bin/python -m tests.trust"
    assert all(f"<!-- table: {name} -->" in page for name in TABLES)


@pytest.mark.parametrize("name", NAMES)
def test_the_kill_matrix_is_of_the_answers_and_checks_that_there_are(records: Records, name: str) -> None:
    one = records.zoo[name]
    again = f"count it again: ./course zoo {name} --json >> docs/trust/zoo.jsonl, then .venv/bin/python -m tests.trust"
    assert sorted(row["answer"] for row in one["rows"]) == sorted(answer.path.stem for answer in read_zoo(name)), again
    assert one["checks"] == [check.name for check in load_plan(find_course(), name).assignment.checks], again
    assert one["accepted"] == one["rejected"] == one["dead"] == []
    assert (FOLDER / f"kills_{name}.png").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_the_chances_are_of_the_checks_that_draw_now(records: Records, name: str) -> None:
    one = records.chance[name]
    drawing = [check.name for check in drawing_checks(load_plan(find_course(), name))]
    again = f"count it again: .venv/bin/python -m tests.chance {name} --write docs/trust/chance.json"
    assert [row["check"] for row in one["right"]] == [row["check"] for row in one["wrong"]] == drawing, again
    assert not any(row["turned"] for kind in ("right", "wrong") for row in one[kind])
    if one["seeds"] >= ENOUGH:
        assert risk(one) < 1e-8


def test_no_mutant_survives_and_no_style_loses(records: Records) -> None:
    assert records.mutants
    for one in records.mutants.values():
        assert (one["surviving"], one["ungraded"], one["stale"], one["killed_though_listed"]) == ([], [], [], [])
        assert one["totals"]["mutants"] == one["population"]
    assert set(records.styles) == set(NAMES)
    assert [one["lost"] for one in records.styles.values()] == [[]] * len(NAMES)


# How pages and figures are made.


def made_up() -> dict[str, Any]:
    rows = [
        {"answer": "wrong_a", "right": False, "failed": ["values", "form"]},
        {"answer": "wrong_b", "right": False, "failed": ["form"]},
        {"answer": "right_a", "right": True, "failed": []},
    ]
    return {"assignment": "m", "checks": ["values", "form"], "rows": rows}


def test_a_figure_has_a_dark_cell_where_one_check_fails_alone(tmp_path: Path) -> None:
    names, marks = matrix_of(made_up())
    assert names == ["a", "b"]
    assert np.array_equal(marks, [[0.55, 0.55], [1.0, 0.0]])
    draw_matrix(made_up(), tmp_path / "one.png")
    draw_matrix(made_up(), tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_table_nobody_makes_is_no_table_of_the_page(records: Records) -> None:
    with pytest.raises(KeyError):
        filled("<!-- table: nothing -->\n<!-- end -->", records)


def test_chances_are_written_as_people_write_them() -> None:
    assert [small(value) for value in (0.0, 1e-250, 3.21e-9, 0.0213, 0.5)] == ["0", "0", "3e-09", "0.021", "0.5"]
    assert table(("a", "b"), [(1, 2)]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
