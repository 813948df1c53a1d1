"""The exam's pool: every file keeps to its form under every choice of numbers, and a faulty one is told in plain words."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from grader_tests.exam.family import POOL, Family, FaultyFamily, Sibling, compute, fill, read_family, read_pool, values_of
from grader_tests.exam.kinds import KINDS

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
