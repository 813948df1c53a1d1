"""What a paper gives away to somebody who knows nothing: by the wording of options, and by what its own parts B and C say."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import pytest

from grader_tests.exam.family import Family, Sibling, fill, read_pool, values_of
from grader_tests.exam.kinds import OPTIONS
from grader_tests.exam.paper import families_of
from grading.course import find_course
from tests.exam_names import NAME, questions

# A reason, an absolute word, a stop in mid-sentence: what students are told to look for in books on tests.
REASON = re.compile(
    r"\b(since|because|so|hence|thus|therefore|as long as|as (both|its|what|every|they|soon|if))\b|, (for|as) ", re.IGNORECASE
)
ABSOLUTE = re.compile(r"\b(always|never|only)\b", re.IGNORECASE)
SWEEPING = re.compile(r"\b(exactly|always|never|every|all|any|no|only|must|cannot|whatever|guarantee\w*|wholly)\b", re.IGNORECASE)
STOP = re.compile("[:;]")
LIMIT = 0.30  # a guess finds one option of four, 0.25

Texts = Sequence[str]
Rule = Callable[[Texts], list[int]]
"""The options that a rule chooses among, by their places."""


def most(score: Callable[[str], float]) -> Rule:
    """The options with the largest score; all where it is the same for all."""

    def chosen(texts: Texts) -> list[int]:
        scores = [score(text) for text in texts]
        return [i for i, value in enumerate(scores) if value == max(scores)]

    return chosen


def count(pattern: re.Pattern[str], sign: int = 1) -> Callable[[str], float]:
    return lambda text: sign * len(pattern.findall(text))


def has(pattern: re.Pattern[str], sign: int = 1) -> Callable[[str], float]:
    return lambda text: sign * bool(pattern.search(text))


def in_order(*places: int) -> Rule:
    """Options at places of the alphabet."""
    return lambda texts: [sorted(range(len(texts)), key=lambda i: texts[i].casefold())[place] for place in places]


def of_middle_length(texts: Texts) -> list[int]:
    return sorted(range(len(texts)), key=lambda i: len(texts[i]))[1:-1]


RULES: dict[str, Rule] = {
    "has a colon or semicolon": most(has(STOP)),
    "has no colon or semicolon": most(has(STOP, -1)),
    "has a comma": most(has(re.compile(","))),
    "has no comma": most(has(re.compile(","), -1)),
    "has a reason": most(has(REASON)),
    "has no reason": most(has(REASON, -1)),
    "has most reasons": most(count(REASON)),
    "has always, never, only": most(has(ABSOLUTE)),
    "has none of always, never, only": most(has(ABSOLUTE, -1)),
    "sweeps most": most(count(SWEEPING)),
    "sweeps least": most(count(SWEEPING, -1)),
    "longest": most(len),
    "shortest": most(lambda text: -len(text)),
    "of middle length": of_middle_length,
    "most words": most(lambda text: len(text.split())),
    "fewest words": most(lambda text: -len(text.split())),
    "first in the alphabet": in_order(0),
    "last in the alphabet": in_order(-1),
    "a stop, else no reason": most(lambda text: 2 * bool(STOP.search(text)) - bool(REASON.search(text))),
    "no reason, else a stop": most(lambda text: bool(STOP.search(text)) - 2 * bool(REASON.search(text))),
    "a stop, no reason, nothing sweeping": most(
        lambda text: 2 * bool(STOP.search(text)) - 2 * len(REASON.findall(text)) - len(SWEEPING.findall(text))
    ),
}
PARTS = {"single": ("right", "wrong"), "lie": ("lies", "truths")}


def found(rule: Rule, texts: Texts) -> Fraction:
    """The chance to find the first text by a rule that chooses evenly among the options that it cannot tell apart."""
    chosen = rule(texts)
    return Fraction(0 in chosen, len(chosen))


def drawings(sibling: Sibling, kind: str) -> Iterator[list[str]]:
    """Every choice of options of a question, the one that is asked for first, with numbers of the smallest."""
    values = values_of(sibling, next(sibling.all_numbers()))
    asked, others = ([fill(part.text, values) for part in sibling.lists[name]] for name in PARTS[kind])
    for one in asked:
        yield from ([one, *rest] for rest in itertools.combinations(others, OPTIONS - 1))


def in_words(texts: Texts) -> bool:
    """Options that are bare numbers have no wording."""
    return any(len(text) >= 12 for text in texts)


def worded(kind: str) -> Iterator[tuple[Fraction, Sibling]]:
    """Questions with options in words, each with its share of the places of its kind."""
    pool = read_pool()
    for slot in sorted({family.slot for family in pool if family.kind == kind}):
        families: tuple[Family, ...] = families_of(slot, pool)
        for family in families:
            for sibling in family.siblings:
                if in_words(next(drawings(sibling, kind))):
                    yield Fraction(1, len(families) * len(family.siblings)), sibling


def chance(rule: Rule, kind: str) -> float:
    """The chance of a rule over the whole pool: counted, nothing is drawn."""
    total, hits = Fraction(0), Fraction(0)
    for share, sibling in worded(kind):
        cases = [found(rule, texts) for texts in drawings(sibling, kind)]
        total, hits = total + share, hits + share * sum(cases, Fraction(0)) / len(cases)
    return float(hits / total)


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("name", RULES)
def test_no_simple_rule_of_wording_finds_the_option(name: str, kind: str) -> None:
    assert chance(RULES[name], kind) < LIMIT


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("name", RULES)
def test_what_is_counted_over_the_pool_holds_of_200_papers(name: str, kind: str) -> None:
    """Within five standard deviations of a hit or miss a question; the papers never change.

    Questions that are kept apart shift the shares of others a little, which is far less.
    """
    asked = [sorted(q.options, key=lambda o: o.key is not True) for q in questions(kind)]
    hits = [float(found(RULES[name], [o.text for o in options])) for options in asked if in_words([o.text for o in options])]
    assert len(hits) >= 200
    width = 5 * (0.25 * 0.75 / len(hits)) ** 0.5
    assert abs(sum(hits) / len(hits) - chance(RULES[name], kind)) < width


def test_a_rule_that_works_is_found() -> None:
    """The count tells what it is made for."""
    texts = ["As before: one rule for all.", "More, since there are more.", "Fewer, since there are more.", "None, so to say."]
    assert found(RULES["has a colon or semicolon"], texts) == found(RULES["has no reason"], texts) == 1
    assert found(RULES["has a reason"], texts) == 0
    assert found(RULES["has always, never, only"], texts) == Fraction(1, 4)


# Parts B and C, which stand on every paper.

# What would answer questions of part A, by the family that asks.
ANSWERS = {
    "dot_variance": r"variance of (the|a) scores?|standard deviation|variance.{0,30}\b(to|of|be) one\b",
    "softmax_axis": r"sums? (up )?to one|\.sum\(|dim=|over the keys",
    "shape_table": r"\(B, m, n\)|\(B, m, d_v\)|([Ww]eights|context|output) (is|are|has|have|of) (the )?(shape )?\(",
    "self_or_cross": r"\b(decoder|encoder)\b.{0,40}\b(asks?|answers?)\b",
    "weight_of_key": r"\bexp\b",
    "lie_heatmap": r"1 - share|\b(rows?|columns?)\b.{0,40}\bone\b",
    "mask_rules": r"masked_fill|torch\.where|-torch\.inf",
}
ANSWERS_OF_C = {
    "delimiter_state": r"encoder state|states? of the encoder|(column|character) .{0,40}\bstates?\b",
    "heatmap_reading": r"encoder state|states? of the encoder|softmax|region",
}


def released(part: str) -> str:
    """The cells of part B, or of part C, as every student reads them."""
    path = find_course().release / NAME / f"{NAME}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    starts = [
        next(i for i, text in enumerate(texts) if text.startswith(f"# {head}")) for head in ("Part B", "Part C", "Before you")
    ]
    first, last = starts[:2] if part == "B" else starts[1:]
    return "\n\n".join(texts[first:last])


@pytest.mark.parametrize("family", [*ANSWERS, *ANSWERS_OF_C])
def test_no_text_on_every_paper_answers_a_question_of_part_a(family: str) -> None:
    assert family in {f.name for f in read_pool()}
    text = released("B") + released("C") if family in ANSWERS else released("C")
    assert (told := re.search((ANSWERS | ANSWERS_OF_C)[family], text)) is None, told


def test_no_option_that_is_right_stands_on_every_paper() -> None:
    text = " ".join((released("B") + released("C")).casefold().split())
    for family in read_pool():
        for sibling in family.siblings:
            for part in (*sibling.lists.get("right", ()), *sibling.lists.get("truths", ())):
                assert len(part.text) < 12 or part.text.casefold().rstrip(".") not in text, (family.name, part.text)


def test_no_question_prints_a_line_of_part_b_in_its_own_names() -> None:
    """An expression of the pool may be right code; it is written in names, and for shapes, that no function of part B has."""
    names = set(re.findall(r"def \w+\(([^)]*)\)", released("B"))) | {"key_is_valid, scores"}
    arguments = set(re.findall(r"\b(?!self|d_|torch|bool|float|Tensor)[A-Za-z_]\w+\b", " ".join(names)))
    assert {"key_is_valid", "scores"} <= arguments
    for family in read_pool():
        for sibling in family.siblings:
            code = " ".join(part.text for parts in sibling.lists.values() for part in parts if "torch." in part.text)
            assert not {name for name in arguments if re.search(rf"\b{name}\b", code)}, (family.name, code)
