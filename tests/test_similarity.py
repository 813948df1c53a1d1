"""`./course similar`: copies come first, whatever was done to them; honest look-alikes do not."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

import grading.similarity_cli  # noqa: F401  # adds its command
from grading.build import release_notebook
from grading.cli import app
from grading.course import find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import write
from grading.rebuild import rebuild
from grading.similarity import COMMON_LEAST, Pair, Passage, Writing, compare, own_cells, passages_of

NAME = "m1_attention"
ZOO = find_course().root / "tests" / "zoo" / NAME
PLAN = load_plan(find_course(), NAME)
KNOWN = [*passages_of(release_notebook(PLAN.blueprint.notebook)), *passages_of(PLAN.blueprint.notebook)]
# Loops and bookkeeping of one's own: what two people would hardly write alike.
ORIGINAL = """
import torch

def attention(Q, K, V):
    # one query after the other, with a running maximum
    outputs, rows = [], []
    for query in Q.reshape(-1, Q.shape[-1]):
        largest, total = float("-inf"), 0.0
        for key in K:
            score = float((query * key).sum()) / Q.shape[-1] ** 0.5
            if score > largest:
                total = total * 2.718281828 ** (largest - score)
                largest = score
            total += 2.718281828 ** (score - largest)
        weights = torch.tensor([2.718281828 ** (float(query @ key) / Q.shape[-1] ** 0.5 - largest) / total for key in K])
        rows.append(weights)
        outputs.append((weights[:, None] * V).sum(0))
    return torch.stack(outputs), torch.stack(rows)

def hard_lookup(query, keys, values):
    best, place = float("-inf"), 0
    for i in range(len(keys)):
        found = sum(float(a) * float(b) for a, b in zip(query, keys[i]))
        if found > best:
            best, place = found, i
    return values[place]
"""
OTHERS = sorted(ZOO.glob("right_*.py"))


class Renamed(ast.NodeTransformer):
    """Every local name becomes another; calls and attributes stay."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        kept = node.id in {"torch", "float", "sum", "zip", "range", "len", "attention", "hard_lookup"}
        return node if kept else ast.Name(f"my_{node.id[::-1]}_thing", node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(f"my_{node.arg[::-1]}_thing")


def renamed(text: str) -> str:
    return ast.unparse(ast.fix_missing_locations(Renamed().visit(ast.parse(text))))


def reordered(text: str) -> str:
    tree = ast.parse(text)
    return "\n\n".join(ast.unparse(node) for node in reversed(tree.body))


def reformatted(text: str) -> str:
    lines = ast.unparse(ast.parse(text)).splitlines()
    return "\n".join(f"{line}   # step {i}\n" for i, line in enumerate(lines)).replace("(", "( ").replace(" = ", "  =  ")


COPIES = {"ann": ORIGINAL, "ben": renamed(ORIGINAL), "cem": reordered(ORIGINAL), "dan": reformatted(ORIGINAL)}


def writings(answers: Mapping[str, str]) -> list[Writing]:
    return [Writing(student, own_cells(rebuild(hand_in(PLAN, text), PLAN.blueprint))) for student, text in answers.items()]


def honest() -> dict[str, str]:
    return {f"honest-{path.stem}": path.read_text() for path in OTHERS}


def similar_pairs(texts: list[Writing], known: list[Passage]) -> list[Pair]:
    return compare(texts, known).pairs


def who(pair: Pair) -> set[str]:
    return {side.writing.student for side in pair.sides}


@pytest.mark.parametrize("copy", ["ben", "cem", "dan"])
def test_a_copy_is_found_under_other_names_in_another_order_and_in_another_form(copy: str) -> None:
    cohort = honest() | {"ann": ORIGINAL, copy: COPIES[copy]}
    first, *others = similar_pairs(writings(cohort), KNOWN)
    assert who(first) == {"ann", copy}
    assert min(side.share for side in first.sides) > 0.1  # of the whole text, in which the solution's answers stand too
    assert not any({"ann", copy} & who(other) for other in others)


def test_a_group_that_copied_stands_above_all_honest_pairs() -> None:
    found = similar_pairs(writings(honest() | COPIES), KNOWN)
    group = [who(pair) <= set(COPIES) for pair in found]
    assert group[:6] == [True] * 6
    assert not any(group[6:])


def test_honest_answers_that_are_short_are_not_alike() -> None:
    short = "def attention(Q, K, V):\n    w = torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, dim=-1)\n    return w @ V, w\n"
    again = "def attention(q, k, v):\n    a = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)\n    return a @ v, a\n"
    assert similar_pairs(writings({"ada": short, "bo": again}), KNOWN) == []


def test_what_the_release_and_the_solution_hold_is_nobodys_copy() -> None:
    assert similar_pairs(writings({"ada": "", "bo": ""}), KNOWN) == []
    assert similar_pairs(writings({"ada": "", "bo": ""}), []) != []


def test_what_many_share_tells_nothing_of_two() -> None:
    many = {f"student-{i}": ORIGINAL for i in range(COMMON_LEAST + 1)}
    assert similar_pairs(writings(many), KNOWN) == []
    assert len(similar_pairs(writings(dict(list(many.items())[:COMMON_LEAST])), KNOWN)) == COMMON_LEAST * (COMMON_LEAST - 1) // 2


def test_a_passage_that_many_share_is_told_though_it_makes_no_pair() -> None:
    """Seven of twenty with one text are no idiom: they are in no pair, and all the same are named."""
    ring = {f"student-{i}": f"# copy {i}\n{ORIGINAL}" for i in range(COMMON_LEAST + 1)}
    found = compare(writings({path.stem: path.read_text() for path in OTHERS[:13]} | ring), KNOWN)
    assert not any(who(pair) <= ring.keys() for pair in found.pairs)
    first, *_ = found.groups
    assert set(first.students) == ring.keys()
    assert first.pair.shared > 300
    for side in first.pair.sides:
        assert any("largest" in side.writing.text[start:end] for start, end in side.spans)


def test_an_idiom_that_many_share_is_no_passage() -> None:
    short = "def attention(Q, K, V):\n    w = torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, dim=-1)\n    return w @ V, w\n"
    assert compare(writings({f"student-{i}": short for i in range(2 * COMMON_LEAST)}), KNOWN).groups == []


def test_the_page_does_not_say_that_nothing_is_in_common_where_many_share_it(tmp_path: Path) -> None:
    hand_in_all(tmp_path, {f"<i>{i}": ORIGINAL for i in range(COMMON_LEAST + 1)})
    result = run(tmp_path, NAME)
    assert "shared by many, and so in no pair: " in result.output
    page = (tmp_path / "autograded" / f"similar-{NAME}.html").read_text()
    assert "Passages that many share" in page
    assert "that few share" in page
    assert ("<i>" in page, "&lt;i&gt;0, &lt;i&gt;1" in page) == (False, True)


def test_what_is_in_common_is_marked_where_it_stands() -> None:
    first, *_ = similar_pairs(writings({"ann": ORIGINAL, "ben": COPIES["ben"]}), KNOWN)
    for side, word in zip(first.sides, ("largest", "my_tsegral_thing"), strict=True):
        assert any(word in side.writing.text[start:end] for start, end in side.spans)


PROOF = """Since every q_i is independent of every k_i, the mean of a product is the product of the means, which is zero.
So the variance is the mean of the square, and that splits into two factors as well; each of them is one."""
OWN_WORDS = """Multiply out the square first. Off the diagonal all expectations vanish, because coordinates do not know of
each other, and d_k terms of size one are left over."""


def written(student: str, text: str) -> Writing:
    return Writing(student, (Passage("x = 1"), Passage(text, prose=True, title="the answer cell proof_words")))


def test_a_written_answer_is_found_again_though_its_lines_break_elsewhere_and_its_capitals_differ() -> None:
    copied = "As I see it: " + PROOF.replace("\n", " ").replace("So the", "so the").replace("splits into", "splits\ninto")
    found = similar_pairs([written("ann", PROOF), written("ben", OWN_WORDS), written("cem", copied)], KNOWN)
    assert [who(pair) for pair in found] == [{"ann", "cem"}]
    for side in found[0].sides:
        (marked,) = (side.writing.text[start:end] for start, end in side.spans)
        assert " ".join(marked.split()).lower() == " ".join(PROOF.split()).lower()


def test_what_a_written_answer_quotes_of_the_notebook_is_nobodys_copy() -> None:
    quoted = max((passage.text for passage in KNOWN if passage.prose), key=len).strip()
    own = [written("ann", f"{quoted}\n\nyes"), written("ben", f"{quoted}\n\nno")]
    assert similar_pairs(own, KNOWN) == []
    assert len(similar_pairs(own, [])) == 1


def test_the_line_that_names_a_written_answer_is_in_no_piece() -> None:
    long = "the answer cell with a name that is far longer than any piece could ever be"
    empty = [Writing(student, (Passage(student, True, long),)) for student in ("ann", "ben")]
    assert similar_pairs(empty, []) == []


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["similar", *arguments, "--root", str(root)])


def hand_in_all(root: Path, answers: Mapping[str, str]) -> None:
    for student, text in answers.items():
        folder = root / "submitted" / student / NAME
        folder.mkdir(parents=True)
        (folder / f"{NAME}.ipynb").write_text(write(hand_in(PLAN, text)))


def test_the_page_shows_both_texts_escaped_and_names_who_was_not_compared(tmp_path: Path) -> None:
    marked = ORIGINAL + '\nprint("<script>alert(1)</script>")\n'
    hand_in_all(tmp_path, {"ann": marked, "ben": renamed(marked), "<b>eve": ""})
    broken = tmp_path / "submitted" / "gus" / NAME
    broken.mkdir(parents=True)
    (broken / f"{NAME}.ipynb").write_text("no notebook")
    before = sorted(path.name for path in tmp_path.iterdir())
    result = run(tmp_path, NAME)
    assert result.exit_code == 0, result.output
    assert "not compared: gus: The file is not JSON" in result.output
    page = (tmp_path / "autograded" / f"similar-{NAME}.html").read_text()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "ann and ben" in page
    assert "Likeness is no proof" in page
    assert "<mark>" in page
    assert "gus: The file is not JSON" in page
    assert sorted({*before, "autograded"}) == sorted(path.name for path in tmp_path.iterdir())  # no gradebook, no grade


def test_a_class_of_one_and_an_empty_inbox_are_told_plainly(tmp_path: Path) -> None:
    nobody = run(tmp_path, NAME)
    assert nobody.exit_code == 2
    assert "nobody has handed in" in nobody.output
    hand_in_all(tmp_path, {"ann": ORIGINAL})
    alone = run(tmp_path, NAME)
    assert alone.exit_code == 0
    assert "0 pairs among 1 texts" in alone.output


def test_a_notebook_with_odd_code_is_compared_and_costs_nobody_anything(tmp_path: Path) -> None:
    hand_in_all(tmp_path, {"ann": ORIGINAL, "ben": COPIES["ben"], "odd": "x = 1"})
    path = tmp_path / "submitted" / "odd" / NAME / f"{NAME}.ipynb"
    notebook = json.loads(path.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    code[0]["source"], code[1]["source"] = "%%bash\necho '\u0000 ☃ (((", "def f(:\n\t return"
    path.write_text(json.dumps(notebook))
    result = run(tmp_path, NAME)
    assert result.exit_code == 0, result.output
    assert "ann" in result.output
