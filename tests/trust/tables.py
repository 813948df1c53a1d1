"""The tables of docs/trust.md, each between two comments that name it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tests.trust.records import Record, Records

Row = Sequence[object]
ENOUGH = 10_000  # seeds: fewer say too little of a tail that is to be below 1e-8
_BLOCK = re.compile(r"(?s)(<!-- table: (\w+) -->\n).*?(<!-- end -->)")


def filled(page: str, records: Records) -> str:
    """The page with every table made anew. Raises KeyError for a table that nobody makes."""
    return _BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]](records)}\n{found[3]}", page)


def table(heads: Row, rows: Iterable[Row]) -> str:
    """Markdown; all columns but the first to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def zoo_table(records: Records) -> str:
    """Answers and checks, and what the kill matrix says of them."""
    heads = (
        "assignment",
        "wrong answers",
        "accepted in full",
        "right answers",
        "rejected",
        "checks",
        "dead",
        "redundant",
        "fragile",
    )
    rows = [_zoo_row(name, one) for name, one in records.zoo.items()]
    return table(heads, [*rows, _sum_of(rows)])


def _zoo_row(name: str, one: Record) -> Row:
    right = sum(row["right"] for row in one["rows"])
    counts = (len(one[kind]) for kind in ("dead", "redundant", "fragile"))
    return (name, len(one["rows"]) - right, len(one["accepted"]), right, len(one["rejected"]), len(one["checks"]), *counts)


def _sum_of(rows: Iterable[Row]) -> Row:
    found = list(rows)
    return ("together", *(sum(column) for column in zip(*(row[1:] for row in found), strict=True)))  # type: ignore[arg-type]


def redundant_table(records: Records) -> str:
    """Checks that no wrong answer fails alone, by assignment."""
    return table(
        ("assignment", "redundant checks"), [(n, ", ".join(one["redundant"]) or "none") for n, one in records.zoo.items()]
    )


def mutants_table(records: Records) -> str:
    """Mutants by assignment."""
    heads = ("assignment", "mutants", "killed", "equivalent", "not asked", "surviving")
    rows = [_mutants_row(name, one) for name, one in records.mutants.items()]
    return table(heads, [*rows, _sum_of(rows)])


def _mutants_row(name: str, one: Record) -> Row:
    return (name, *(one["totals"][kind] for kind in ("mutants", "killed", "equivalent", "not asked", "surviving")))


def styles_table(records: Records) -> str:
    """Styled answers by assignment."""
    heads = ("assignment", "styles", "answers in one style", "in several", "that lost a point")
    keys = ("styles", "styled_answers", "composed_answers")
    rows = [(name, *(one[key] for key in keys), len(one["lost"])) for name, one in records.styles.items()]
    return table(heads, [*rows, ("together", _styles(records), *_sum_of(rows)[2:])])


def _styles(records: Records) -> int:
    return len({style for one in records.styles.values() for style in one["by_style"]})


def chance_table(records: Records) -> str:
    """What an honest perfect student risks in each assignment."""
    heads = (
        "assignment",
        "checks that draw",
        "seeds",
        "right answers that failed",
        "largest margin",
        "random inputs",
        "statistical tests",
        "together",
    )
    return table(heads, [_chance_row(name, one) for name, one in records.chance.items()])


def _chance_row(name: str, one: Record) -> Row:
    right = one["right"]
    laws = math.fsum(law["false_fail"] for law in one["laws"])
    turned, margin = sum(row["turned"] for row in right), small(max(row["margin"] for row in right))
    tails = [told_tail(row) for row in right]
    told = (
        ("", small(laws), "") if "" in tails else (small(math.fsum(row["tail"] for row in right)), small(laws), small(risk(one)))
    )
    return (name, len(right), f"{one['seeds']:,}", turned, margin, *told)


def told_tail(row: Record) -> str:
    """The chance that follows for other seeds; nothing where too few say anything of a tail."""
    return small(row["tail"]) if row["seeds"] >= ENOUGH else ""


def risk(one: Record) -> float:
    """The chance that an honest perfect student loses a point in an assignment, whatever their order of draws."""
    return math.fsum([*(row["tail"] for row in one["right"]), *(law["false_fail"] for law in one["laws"])])


def checks_table(records: Records) -> str:
    """Both errors of each check that draws anything."""
    heads = (
        "check",
        "of right answers failed",
        "margin",
        "false fail",
        "nearest wrong answer",
        "of its seeds passed",
        "margin",
        "false pass",
    )
    rows: list[Row] = []
    for name, one in records.chance.items():
        wrong = {row["check"]: row for row in one["wrong"]}
        rows += [(f"**{name}**", *[""] * 7), *(_check_row(row, wrong[row["check"]]) for row in one["right"])]
    return table(heads, rows)


def _check_row(right: Record, wrong: Record) -> Row:
    told = [(f"{row['turned']} of {row['seeds']:,}", small(row["margin"]), told_tail(row)) for row in (right, wrong)]
    return (right["check"], *told[0], f"`{wrong['answer'].removeprefix('wrong_')}`", *told[1])


def laws_table(records: Records) -> str:
    """The statistical tests, computed."""
    heads = ("check", "test", "fails a right answer", "passes the nearest wrong one", "which is")
    laws = [law for one in records.chance.values() for law in one["laws"]]
    return table(
        heads, [(law["check"], law["test"], small(law["false_fail"]), small(law["false_pass"]), law["nearest"]) for law in laws]
    )


def small(value: float) -> str:
    """A chance as people write it; 0 where it is nothing at all or too small to be told from it."""
    return "0" if value < 1e-99 else f"{value:.1g}" if value < 0.001 else f"{value:.2g}"


def kinds_table(records: Records) -> str:
    """Mutants by the kind of fault, over all assignments."""
    counts: dict[str, Counter[str]] = {}
    for one in records.mutants.values():
        for kind, found in one["kinds"].items():
            counts.setdefault(kind, Counter()).update(found)
    heads = ("kind of fault", "mutants", "killed", "equivalent", "not asked")
    ordered = sorted(counts.items(), key=lambda item: -item[1]["mutants"])
    return table(heads, [(kind, *(found[column] for column in ("mutants", *heads[2:]))) for kind, found in ordered])


TABLES: Mapping[str, Callable[[Records], str]] = {
    "zoo": zoo_table,
    "redundant": redundant_table,
    "mutants": mutants_table,
    "kinds": kinds_table,
    "styles": styles_table,
    "chance": chance_table,
    "checks": checks_table,
    "laws": laws_table,
}
