"""Mutants: each operator makes what it says, nothing twice; entries are not stale; a sample of each assignment is killed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from grading.course import Plan, find_course, load_plan
from grading.runners import Runner
from grading.score import score
from grading.submission import Submission
from grading.verdict import CheckResult, Finding, Result, Verdict, decide_status
from tests.mutants.equivalents import Equivalent, equivalents_of, read_equivalents
from tests.mutants.figures import Figures
from tests.mutants.judging import KILLED, SURVIVING, UNGRADED, Judged, judge, outcome_of
from tests.mutants.population import Mutant, mutants_of
from tests.mutants.texts import TextMutant, differing, text_mutants

NAMES = find_course().assignments()
LISTED_FOR = [name for name in NAMES if equivalents_of(name).is_file()]  # those whose survivors have been gone through
SAMPLE_SEED = 6050  # of random.Random: the same mutants on every run
HIDDEN_SEED = 1
SAMPLES = {"m5_date_rematch": 3, "m2_variance": 6}  # of each other ten: one of m5's costs a second of processor time or more


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    return {name: load_plan(find_course(), name) for name in NAMES}


@pytest.fixture(scope="module")
def populations(plans: dict[str, Plan]) -> dict[str, list[Mutant]]:
    return {name: mutants_of(plan) for name, plan in plans.items()}


def made(body: str, signature: str = "x") -> dict[str, set[str]]:
    """The mutants of a function of one line or a few, by kind: what the line becomes."""
    text = f"def f({signature}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    kinds: dict[str, set[str]] = {}
    for mutant in text_mutants(text, "cell"):
        kinds.setdefault(mutant.kind, set()).add(mutant.becomes)
    return kinds


@pytest.mark.parametrize(
    ("body", "kind", "becomes"),
    [
        ("y = x + 2", "arithmetic", {"y = x - 2", "y = x * 2"}),
        ("y = x @ x.T", "operands swapped", {"y = x.T @ x"}),
        ("y = 1 / x", "operand dropped", {"y = 1", "y = x"}),
        ("y = x < 3", "comparison", {"y = x <= 3", "y = x > 3", "y = x >= 3", "y = x != 3"}),
        ("y = x is None", "comparison", {"y = x is not None"}),
        ("y = x in (1,)", "comparison", {"y = x not in (1,)"}),
        ("y = not x", "boolean", {"y = x"}),
        ("y = ~x", "boolean", {"y = x"}),
        ("y = x or g()", "boolean", {"y = x and g()", "y = x", "y = g()"}),
        ("y = (x or g()) + 0.5", "boolean", {"y = (x and g()) + 0.5", "y = (x) + 0.5", "y = (g()) + 0.5"}),
        ("y = g(7)", "constant", {"y = g(8)", "y = g(6)"}),
        ("y = g(0.5)", "constant", {"y = g(1.0)", "y = g(0.0)"}),
        ("y = g(True)", "constant", {"y = g(False)"}),
        ("y = g(-7)", "sign", {"y = g(7)"}),
        ("y = -x", "sign", {"y = x"}),
        ("y = x.sum(dim=-1)", "axis", {f"y = x.sum(dim={axis})" for axis in (-3, -2, 0, 1, 2)}),
        ("y = torch.softmax(x, 0)", "axis", {f"y = torch.softmax(x, {axis})" for axis in (-3, -2, -1, 1, 2)}),
        ("y = x.sum(dim=0, keepdim=True)", "argument dropped", {"y = x.sum(keepdim=True)", "y = x.sum(dim=0)"}),
        ("y = g(x, 2)", "arguments swapped", {"y = g(2, x)"}),
        ("y = x.tril()", "torch call", {"y = x.triu()"}),
        ("y = torch.tanh(x)", "torch call", {"y = torch.sigmoid(x)", "y = torch.relu(x)"}),
        ("y = x.masked_fill(x, -math.inf)", "torch call", {f"y = x.masked_fill(x, {f})" for f in ("0.0", "-10000.0")} | {
            "y = x.masked_scatter(x, -math.inf)"
        }),
        ("y = x.masked_fill(x, 0.0)", "in place", {"y = x.masked_fill_(x, 0.0)"}),
        ("y = x.detach()", "call dropped", {"y = x"}),
        ("y = math.sqrt(x)", "call dropped", {"y = x"}),
        ("y = x[0]", "index", {"y = x"}),
        ("y = x[:3]", "index", {"y = x", "y = x[1:3]", "y = x[:]"}),
        ("y = x[:, None]", "index", {"y = x", "y = x[1:, None]", "y = x[:-1, None]", "y = x[None, :]"}),
        ("x.zero_()", "statement dropped", {"pass"}),
        ("x.step()", "statement twice", {"x.step(); x.step()"}),
        ("y, z = x", "targets swapped", {"z, y = x"}),
        ("x += 1", "arithmetic", {"x = 1"}),
        ("return x", "return", {"return None", "return x.detach()", "return x.float()", "return x.double()"}),
        ("if x:\n    g()", "condition", {"if True:", "if False:", "if not x:"}),
        ("with torch.no_grad():\n    g()", "statement dropped", {"if True:", "pass"}),
        ("if x:\n    raise ValueError('no')", "statement dropped", {"pass"}),
        ("y = 1\nz = 2", "order of statements", {"z = 2 y = 1"}),
        (
            "for y in x:\n    g()",
            "loop",
            {"pass", "g() break", "for y in reversed(list(x)):", "for y in list(x)[1:]:", "for y in list(x)[:-1]:"},
        ),
    ],
)  # fmt: skip
def test_each_kind_makes_what_it_says(body: str, kind: str, becomes: set[str]) -> None:
    assert made(body)[kind] == becomes


def test_a_name_is_mistaken_for_those_that_are_bound_before_it() -> None:
    assert made("y = x\nz = a\ny = 3", "x, a")["variable"] == {"y = a", "z = x", "z = y"}


def test_defaults_and_decorators_are_part_of_the_answer_though_no_solution_mark_stands_around_them() -> None:
    text = "@torch.no_grad()\ndef f(x, n=5):\n    ### BEGIN SOLUTION\n    g()\n    ### END SOLUTION\n    h()\n"
    found = Counter(mutant.kind for mutant in text_mutants(text, "cell"))
    assert found == {"default": 3, "statement dropped": 2, "statement twice": 1}


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    """Return 1."""\n',
        "def f(x: Tuple[int, 3]) -> Literal[1]:\n    pass\n",
        "import torch\n",
        "def f():\n    ### BEGIN SOLUTION\n    ### END SOLUTION\n    return 1\n",
        "CLAIMS = {'A': None}\n### BEGIN SOLUTION\n### END SOLUTION\n",
    ],
    ids=["a docstring", "annotations", "an import", "a given line", "a given stub"],
)
def test_what_is_no_answer_stays_as_it_is(text: str) -> None:
    assert text_mutants(text, "cell") == []


def test_the_text_of_a_message_stays_as_it_is_and_its_raise_is_dropped() -> None:
    found = made("if x:\n    raise ValueError(f'{x + 1} is too much')")
    assert "arithmetic" not in found
    assert "data" not in found


def test_plain_data_gets_other_words_and_loses_entries() -> None:
    found = {mutant.becomes for mutant in text_mutants("R = {'A': 'R1', 'B': 'R2'}", "cell")}
    assert found >= {"R = {'A': 'R2', 'B': 'R2'}", "R = {'A': 'R1', 'B': 'R1'}", "R = {'B': 'R2'}", "R = {'A': 'R1', }"}
    found = {mutant.becomes for mutant in text_mutants("O = ['F', 'D', 'I']", "cell")}
    assert {"O = ['D', 'F', 'I']", "O = ['F', 'I', 'D']", "O = ['D', 'D', 'I']", "O = ['F', 'D', ]"} <= found


def test_parts_that_take_the_place_of_the_whole_keep_its_meaning() -> None:
    assert "y = 2 * (x + 1)" in made("y = 2 * (x + 1 + 3)")["operand dropped"]
    assert "y = (x + 1) / 2" in made("y = 2 / (x + 1)")["operands swapped"]
    assert "y = 2 - (x + 3)" in made("y = 2 - x * 3")["arithmetic"]
    assert "y = (2 - x) * 3" in made("y = 2 - x + 3")["arithmetic"]


TWO_ALIKE = "def f(x):\n    x.a(1)\n    y = 0\n    x.a(1)\n"


def test_what_occurs_twice_is_numbered() -> None:
    dropped = [m for m in text_mutants(TWO_ALIKE, "cell") if m.kind == "statement dropped" and m.was == "x.a(1)"]
    assert [m.number for m in dropped] == [1, 2]
    assert len({m.text for m in dropped}) == 2


def names_of(text: str, function: str) -> set[tuple[str, str, str, int]]:
    mutants = text_mutants(text, "cell")
    return {(m.function, m.was, m.becomes, m.number) for m in mutants if m.function == function}


def test_names_of_mutants_survive_edits_elsewhere() -> None:
    edited = f"import math\n\n\ndef g(a):\n    return a + 1\n\n\n# A word more.\n{TWO_ALIKE}"
    assert names_of(TWO_ALIKE, "f") == names_of(edited, "f")
    assert {name[0] for name in names_of(edited, "g")} == {"g"}


def test_a_method_is_named_with_its_class() -> None:
    text = "class A:\n    def f(self):\n        def inner(x):\n            return x + 1\n        return 2\n"
    assert {m.function for m in text_mutants(text, "cell")} == {"A.f", "A.f.inner"}


def test_the_lines_that_differ_are_told_as_whole_statements() -> None:
    old = "y = g(\n    1,\n    2,\n)\nz = 3\n"
    assert differing(old, old.replace("2", "5")) == ("y = g( 1, 2, )", "y = g( 1, 5, )")
    assert differing(old, old.replace("z = 3", "pass")) == ("z = 3", "pass")


@pytest.mark.parametrize("name", NAMES)
def test_mutants_of_an_assignment_differ_in_text_and_name_and_cover_every_graded_answer(
    plans: dict[str, Plan], populations: dict[str, list[Mutant]], name: str
) -> None:
    mutants = populations[name]
    assert len({mutant.key for mutant in mutants}) == len(mutants)
    assert len({(mutant.cell, mutant.fault.text) for mutant in mutants}) == len(mutants)
    answers = {answer.removesuffix("_answer") for answer in plans[name].blueprint.answers if answer.endswith("_answer")}
    assert {mutant.cell for mutant in mutants} == answers & set(plans[name].blueprint.graded)
    for mutant in mutants:
        compile(mutant.fault.text, "<mutant>", "exec")


@pytest.mark.parametrize("name", LISTED_FOR)
def test_entries_name_mutants_that_exist(populations: dict[str, list[Mutant]], name: str) -> None:
    known = {mutant.key for mutant in populations[name]}
    assert [entry.identity for key, entry in read_equivalents(name).items() if key not in known] == []


@pytest.mark.parametrize("name", LISTED_FOR)
def test_a_sample_of_mutants_is_killed_or_listed(
    plans: dict[str, Plan], populations: dict[str, list[Mutant]], sandbox: Runner, name: str
) -> None:
    chosen = random.Random(SAMPLE_SEED).sample(populations[name], SAMPLES.get(name, 10))
    judged = judge(plans[name], chosen, HIDDEN_SEED, lambda s, plan, seed: score(s, plan, sandbox, seed).result)
    figures = Figures(name, HIDDEN_SEED, populations[name], list(judged), read_equivalents(name), 0.0)
    assert not figures.at_fault, "\n".join(figures.in_words())


ONE = Mutant("m", "sum", TextMutant("f", "constant", "return 1", "return 2", 1, "def f():\n    return 2\n"))
OTHER = Mutant("m", "sum", TextMutant("f", "return", "return 1", "return None", 1, "def f():\n    return None\n"))


def result(*verdicts: Verdict, findings: tuple[Finding, ...] = ()) -> Result:
    checks = tuple(CheckResult(f"check {i}", "sum", 0.0, 1.0, verdict, "") for i, verdict in enumerate(verdicts))
    return Result("s", "m", decide_status(checks), 0.0, 1.0, 0.0, 1, findings, checks, 0.0, "")


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.FORBIDDEN])
def test_whatever_ends_a_mutant_kills_it(verdict: Verdict) -> None:
    assert outcome_of(ONE, result(Verdict.PASS, verdict)) == Judged(ONE, KILLED, ("check 1",))


def test_one_that_passes_all_checks_survives() -> None:
    assert outcome_of(ONE, result(Verdict.PASS, Verdict.PASS)).outcome == SURVIVING


def test_one_that_could_not_be_judged_is_told_and_never_called_killed() -> None:
    undecided = outcome_of(ONE, result(Verdict.FAIL, Verdict.UNGRADED, findings=(Finding("grader-fault", None, "it fell over"),)))
    assert undecided == Judged(ONE, UNGRADED, ("it fell over", "check 1"))
    figures = Figures("m", 1, [ONE], [undecided], {}, 0.0)
    assert figures.at_fault
    assert "ungraded: f.constant: return 1 -> return 2: it fell over; check 1" in list(figures.in_words())


def test_a_survivor_of_the_cells_own_checks_is_asked_all_the_others(plans: dict[str, Plan]) -> None:
    plan = plans["m1_attention"]
    mutant = mutants_of(plan)[0]
    asked: list[int] = []

    def passes_its_cell(submission: Submission, plan: Plan, seed: int) -> Result:
        asked.append(len(plan.assignment.checks))
        return result(Verdict.PASS if len(asked) == 1 else Verdict.FAIL)

    (judged,) = judge(plan, [mutant], 1, passes_its_cell)
    assert judged.outcome == KILLED
    assert asked == [sum(c.cell == mutant.cell for c in plan.assignment.checks), len(plan.assignment.checks)]


LISTED = Equivalent(ONE.key, "equivalent", "it is the same")


@pytest.mark.parametrize(
    ("outcomes", "listed", "what"),
    [
        ((KILLED, KILLED), (), ""),
        ((SURVIVING, KILLED), (LISTED,), ""),
        ((SURVIVING, KILLED), (), "surviving"),
        ((KILLED, KILLED), (LISTED,), "killed_though_listed"),
        ((SURVIVING, KILLED), (LISTED, replace(LISTED, key=("g", "a", "b", 1))), "stale"),
    ],
)
def test_what_somebody_must_look_at(outcomes: tuple[str, str], listed: tuple[Equivalent, ...], what: str) -> None:
    judged = [Judged(mutant, outcome, ()) for mutant, outcome in zip((ONE, OTHER), outcomes, strict=True)]
    figures = Figures("m", 1, [ONE, OTHER], judged, {entry.key: entry for entry in listed}, 0.0)
    assert figures.at_fault == bool(what)
    assert [name for name in ("surviving", "killed_though_listed", "stale") if figures.as_dict()[name]] == (
        [what] if what else []
    )
    assert figures.totals["mutants"] == 2


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "tests.mutants", *arguments]
    return subprocess.run(run, cwd=find_course().root, capture_output=True, text=True)


def test_the_command_tells_figures_as_json_and_all_is_well(needs_sandbox: None) -> None:
    ran = command("m1_attention", "--only", "hard_lookup.", "--sample", "4", "--workers", "1", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (found,) = (json.loads(line) for line in ran.stdout.splitlines())
    assert found["totals"]["mutants"] == sum(kind["mutants"] for kind in found["kinds"].values()) == 4
    assert found["surviving"] == found["ungraded"] == found["stale"] == found["killed_though_listed"] == []


def test_an_assignment_that_is_not_there_is_named() -> None:
    ran = command("m7_positions")
    assert ran.returncode == 2
    assert "there is no assignment m7_positions" in ran.stderr
