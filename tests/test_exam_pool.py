"""The exam's pool: every file keeps to its form under every choice of numbers, and a faulty one is told in plain words."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from grader_tests.exam.family import POOL, Family, FaultyFamily, Sibling, compute, fill, read_family, read_pool, values_of
from grader_tests.exam.kinds import KINDS
from grader_tests.exam.paper import SLOTS, apart, families_of, free_siblings
from tests.exam_names import STUDENTS, papers

FILES = sorted(POOL.glob("*.toml"))
CASES = [(family, sibling) for family in read_pool() for sibling in family.siblings]
NAMES = [f"{family.name}-{family.siblings.index(sibling) + 1}" for family, sibling in CASES]
each_sibling = pytest.mark.parametrize(("family", "sibling"), CASES, ids=NAMES)


def parts_of(sibling: Sibling) -> list[tuple[str, str]]:
    return [(part.text, part.why) for parts in sibling.lists.values() for part in parts]


@each_sibling
def test_the_parts_of_a_question_differ_whatever_numbers_are_drawn(family: Family, sibling: Sibling) -> None:
    for numbers in sibling.all_numbers():
        values = values_of(sibling, numbers)
        texts = [fill(text, values) for text, _ in parts_of(sibling) if text]
        assert len(set(texts)) == len(texts), texts


@each_sibling
def test_a_known_mistake_of_a_numeric_question_never_has_the_right_value(family: Family, sibling: Sibling) -> None:
    computed = [part for parts in sibling.lists.values() for part in parts if part.answer]
    if family.kind not in ("numeric", "table"):
        assert not computed
        return
    for numbers in sibling.all_numbers():
        if family.kind == "numeric":
            right = compute(sibling.answer, numbers)
            assert isinstance(right, (int, float))
            for part in computed:
                wrong = compute(part.answer, numbers)
                assert isinstance(wrong, (int, float))
                assert abs(wrong - right) > 2 * sibling.tolerance, (part.answer, numbers, right, wrong)
        else:
            for cell in computed:
                value = compute(cell.answer, numbers)
                assert isinstance(value, (tuple, int)) or cell.tolerance > 0, f"{cell.answer} is a float without tolerance"


@each_sibling
def test_texts_are_plain_and_short_enough_to_be_read(family: Family, sibling: Sibling) -> None:
    for text in [sibling.text, *(t for pair in parts_of(sibling) for t in pair)]:
        assert not re.search(r"[$!]|\\[a-z]|TODO|[‘’“”]", text), text
        assert not re.search(r"\b(always A|option [A-E]|answer [A-E]|[Aa]ll of the above|[Nn]one of the above)\b", text), text
    assert len(sibling.text) < 700
    assert all(len(text) < 260 and len(why) < 330 for text, why in parts_of(sibling))


def test_the_right_option_cannot_be_told_by_its_length() -> None:
    """With three wrong options, the right one is the longest of four in a quarter of questions if lengths say nothing."""
    longest = Counter(
        len(sibling.lists["right"][0].text) > max(len(part.text) for part in sibling.lists["wrong"])
        for family, sibling in CASES
        if family.kind == "single"
    )
    assert longest[True] <= 0.4 * longest.total()


def named() -> dict[str, Sibling]:
    return {f"{family.name}/{i}": sibling for family in read_pool() for i, sibling in enumerate(family.siblings, start=1)}


def test_what_is_kept_apart_are_questions_of_other_places() -> None:
    places = {family.name: family.slot for family in read_pool()}
    for name, sibling in named().items():
        for other in sibling.apart:
            assert other in places or other in named(), (name, other)
            assert places[other.partition("/")[0]] != places[name.partition("/")[0]], (name, other)


def test_every_place_has_a_question_that_goes_with_all_of_earlier_places() -> None:
    """Places are filled in order, so that a paper can be filled whatever has been drawn before."""
    before: dict[str, Sibling] = {}
    for slot in SLOTS:
        here = {f"{f.name}/{i}": s for f in families_of(slot, read_pool()) for i, s in enumerate(f.siblings, start=1)}
        assert any(not any(apart(*one, *other) for other in before.items()) for one in here.items()), slot
        before |= here


def test_no_paper_holds_two_questions_that_are_kept_apart() -> None:
    pairs = 0
    for paper in papers():
        drawn = {question.name: named()[question.name] for question in paper.questions}
        for one, other in itertools.combinations(drawn.items(), 2):
            assert not apart(*one, *other), (paper.student, one[0], other[0])
            pairs += 1
    assert pairs == 105 * len(STUDENTS)


def test_apart_holds_in_both_directions_for_a_family_and_for_one_of_its_questions() -> None:
    questions = named()
    pairs = [("proof_order/1", "dot_variance/2"), ("decoder_order/1", "three_views/2"), ("decoder_order/1", "three_views/1")]
    found = [apart(a, questions[a], b, questions[b]) for pair in pairs for a, b in (pair, pair[::-1])]
    assert found == [True, True, True, True, False, False]


def test_a_place_that_nothing_is_left_for_is_told() -> None:
    (family,) = (f for f in read_pool() if f.name == "proof_order")
    alone = [dataclasses.replace(family, siblings=family.siblings[:1])]
    drawn = {"dot_variance/1": named()["dot_variance/1"]}
    with pytest.raises(FaultyFamily, match="A12 has no question that goes with dot_variance/1"):
        free_siblings("A12", alone, drawn)


def test_every_kind_has_a_family() -> None:
    assert {family.kind for family in read_pool()} == set(KINDS)


SOUND = """
kind = "single"
slot = "A4"
about = "a"
source = "b"
[[siblings]]
text = "How much is <<x>>?"
numbers.x = [1, 2]
[[siblings.right]]
text = "r"
why = "w"
[[siblings.wrong]]
text = "1"
why = "w"
[[siblings.wrong]]
text = "2"
why = "w"
[[siblings.wrong]]
text = "3"
why = "w"
"""
SECOND = SOUND[SOUND.index("[[siblings]]") :]
FAULTS = [
    ('kind = "single"', 'kind = "guess"', "the kind 'guess' is none of single, lie"),
    ('slot = "A4"', 'slot = "A16"', "the slot 'A16' is none of A1 to A15"),
    ('about = "a"', "", "faulty.toml: about is missing"),
    ('about = "a"', 'about = "a"\nnote = "n"', "faulty.toml: note is not known here"),
    ("numbers.x = [1, 2]", "", "sibling 1: <<x>> is neither among numbers nor among derived"),
    ("numbers.x = [1, 2]", "numbers.x = [1]\nnumbers.y = [1]", "sibling 1: the number y is used nowhere"),
    ("numbers.x = [1, 2]", "numbers.x = 1", "sibling 1: numbers.x must be a list of numbers or words"),
    ("numbers.x = [1, 2]", 'numbers.x = [1]\nderived.y = "scale.nothing"', "there is no function 'scale.nothing'"),
    ("numbers.x = [1, 2]", 'numbers.x = [1]\nderived.y = "scale.root"', "scale.root asks for d_k, which is not among numbers"),
    ('text = "3"', 'text = "2"', "sibling 1, wrong: two of them are equal"),
    ('text = "3"', 'text = " "', "sibling 1, wrong 3: text must be a text that is not empty"),
    ('[[siblings.wrong]]\ntext = "3"\nwhy = "w"', "", "sibling 1, wrong: at least 3 are needed"),
    ('[[siblings.right]]\ntext = "r"', '[[siblings.right]]\ntext = "r"\nchoice = "c"', "choice is not known here"),
    ('text = "r"\nwhy = "w"', 'text = "r"', "sibling 1, right 1: why is missing"),
    ("[[siblings]]", "[[siblings", "faulty.toml: "),
    ("numbers.x = [1, 2]", 'numbers.x = [1]\napart = [""]', "sibling 1: apart must be a text that is not empty"),
]


@pytest.mark.parametrize(("old", "new", "told"), FAULTS, ids=[told for *_, told in FAULTS])
def test_a_faulty_file_is_told_with_its_place_and_fault(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(SOUND + SECOND)
    assert len(read_family(path).siblings) == 2
    assert old in SOUND
    path.write_text(SOUND.replace(old, new, 1) + SECOND)
    with pytest.raises(FaultyFamily) as caught:
        read_family(path)
    assert str(caught.value).startswith("faulty.toml")
    assert told in str(caught.value)


def test_a_family_of_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(SOUND)
    with pytest.raises(FaultyFamily, match="siblings: at least 2 are needed"):
        read_family(path)
