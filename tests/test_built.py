"""What a build makes: solutions that earn their points, the release that nbgrader would make, and nothing twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook

import grading.build as machine
from grading.build import Built, build, release_notebook
from grading.checks import Assignment
from grading.course import find_course
from grading.notebooks import write
from tests.tiny_course import source_notebook
from tests.workshop import TINY, Workshop, find, make_workshop

EMPTY = Assignment("empty", {})


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    return make_workshop(tmp_path, monkeypatch)


# What is wrong with a solution.


def solved(name: str, body: str) -> NotebookNode:
    notebook = source_notebook()
    find(notebook, name).source = f"### BEGIN SOLUTION\n{body}\n### END SOLUTION"
    return notebook


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('no')", "the solved cell 'triple_answer' fails: ValueError: no"),
        ("def triple(x):\n    return x", "the solved cell 'triple' earns ['0.0'], not 3 points"),
        ("import os\nos._exit(3)", "the solved cell 'triple_answer' fails: DeadKernelError"),
        ("while True:\n    pass", "the solved cell 'triple_answer' fails: CellTimeoutError"),
    ],
    ids=["raises", "earns too little", "dies", "never ends"],
)
def test_a_solved_cell_that_fails_is_named_and_nothing_is_written_for_any_assignment(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, body: str, told: str
) -> None:
    monkeypatch.setattr(machine, "_EXECUTION_TIMEOUT_S", 3 if "while" in body else 60)
    shop.put(replace(EMPTY, name="another"), new_notebook())
    shop.put(TINY, solved("triple_answer", body))
    assert shop.faults() == [f"tiny: {told}"]
    assert shop.executed == ["another", "tiny"], "the other could have been written first"


# A build that is right.


def test_a_second_build_changes_no_byte_and_executes_nothing_and_a_change_executes_again(shop: Workshop) -> None:
    assert build(shop.course) == [Built("tiny", released=True, solved=True)]
    first = shop.files()
    solution = nbformat.read(shop.course.solutions / "tiny" / "tiny.ipynb", as_version=4)
    assert find(solution, "triple").outputs[-1].data["text/plain"] == "3.0"
    assert sorted(name.split()[0] for name in first) == [
        f"{top}/tiny/{f}" for top in ("release", "solutions") for f in ("data.csv", "tiny.ipynb")
    ]
    assert build(shop.course) == [Built("tiny", released=False, solved=False)]
    assert shop.files() == first
    assert shop.executed == ["tiny"]
    (shop.course.root / "requirements.lock").write_text("torch==2.14.0\n")
    assert not build(shop.course)[0].released
    assert shop.executed == ["tiny", "tiny"]


def test_a_solution_that_was_run_in_full_stays_until_its_source_changes(shop: Workshop) -> None:
    """Nobody trains again for another version of a package, and no build puts a quick run in its place."""
    build(shop.course)
    plan, path = shop.load_plan(shop.course, "tiny"), shop.course.solutions / "tiny" / "tiny.ipynb"
    solution, given = nbformat.read(path, as_version=4), {"data.csv": b"a,b\n"}
    solution.metadata["course"] = {"built_from": machine.depends_on(shop.course, plan, given, run_in_full=True)}
    path.write_text(write(solution))
    (shop.course.root / "requirements.lock").write_text("torch==2.14.0\n")
    assert build(shop.course) == [Built("tiny", released=False, solved=False)]
    shop.put(TINY, solved("double_answer", "def double(x):\n    return x + x"))
    assert build(shop.course)[0].solved


def test_generated_folders_that_were_touched_are_made_right_again(shop: Workshop) -> None:
    build(shop.course)
    made = {name.split()[0]: content for name, content in shop.files().items()}
    (shop.course.release / "tiny" / "stray.py").write_text("")
    (shop.course.release / "tiny" / "tiny.ipynb").write_text("edited by hand")
    (shop.course.solutions / "tiny" / "tiny.ipynb").write_text("damaged")
    assert build(shop.course) == [Built("tiny", released=True, solved=True)]
    assert {name.split()[0]: content for name, content in shop.files().items()} == made


def test_what_editors_leave_behind_is_no_fault_and_not_released(shop: Workshop) -> None:
    for folder in (".ipynb_checkpoints", "__pycache__"):
        (shop.course.source / "tiny" / folder).mkdir()
        (shop.course.source / "tiny" / folder / "x").write_text("")
    build(shop.course)
    assert sorted(os.listdir(shop.course.release / "tiny")) == ["data.csv", "tiny.ipynb"]


@pytest.mark.parametrize("name", ["tiny", "m1_attention"])
def test_the_release_is_what_nbgrader_makes_of_the_same_source_byte_for_byte(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "source" / name
    if name == "tiny":
        folder.mkdir(parents=True)
        (folder / "tiny.ipynb").write_text(write(source_notebook()))
    else:
        shutil.copytree(find_course().source / name, folder)
    (tmp_path / "nbgrader_config.py").write_text('c = get_config()\nc.CourseDirectory.course_id = "stock"\n')
    command = [Path(sys.executable).parent / "nbgrader", "generate_assignment", name, "--no-db"]
    own = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    ours = release_notebook(nbformat.read(folder / f"{name}.ipynb", as_version=4))
    assert write(ours) == (tmp_path / "release" / name / f"{name}.ipynb").read_text()


def test_what_a_student_would_hand_in_beside_the_solution_stays_and_lies_beside_it_when_it_is_executed(shop: Workshop) -> None:
    asked = replace(TINY, handed_in=("weights.bin",))
    weights = shop.course.solutions / "tiny" / "weights.bin"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"trained")
    sees = "assert open('weights.bin').read() == 'trained' and 'COURSE_QUICK_RUN' in os.environ"
    shop.put(asked, solved("double_answer", f"import os\n{sees}\ndef double(x): return 2 * x"))
    build(shop.course)
    assert weights.read_bytes() == b"trained"
    assert sorted(os.listdir(shop.course.release / "tiny")) == ["data.csv", "tiny.ipynb"]
