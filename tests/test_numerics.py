"""The same verdicts on other instruction sets, and for students who ask for other numbers of threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from grading.course import find_course
from tests.zoo_answers import read_zoo

# What vectorised sums and draws reach differs between these; torch offers what the processor has, at most.
SETS = ("default", "avx2")


def chosen() -> list[str]:
    """Of every assignment the plain right answer and two wrong ones."""
    answers = {name: read_zoo(name) for name in find_course().assignments()}
    wrong = {name: [a.path.stem for a in found if not a.right] for name, found in answers.items()}
    right = {name: next(a.path.stem for a in found if a.right) for name, found in answers.items()}
    return [f"{name}/{stem}" for name in answers for stem in (right[name], *wrong[name][:: len(wrong[name]) // 2][:2])]


@cache
def found(capability: str, threads: int = 0) -> Mapping[str, Any]:
    """What a process of its own says, for torch reads the capability when it starts."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-m", "tests.numerics", "--threads", str(threads), *chosen()]
    environment = {**os.environ, **single} | ({"ATEN_CPU_CAPABILITY": capability} if capability else {})
    ran = subprocess.run(command, cwd=find_course().root, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    content: Mapping[str, Any] = json.loads(ran.stdout)
    return content


@pytest.mark.parametrize("capability", SETS)
def test_verdicts_do_not_depend_on_the_instruction_set(capability: str) -> None:
    here, there = found(""), found(capability)
    assert there["set"] in {"default": ("DEFAULT", "NO AVX"), "avx2": ("AVX2", "DEFAULT", "NO AVX")}[capability]
    assert set(here["verdicts"]) == set(chosen())
    assert here["verdicts"] == there["verdicts"]


def test_verdicts_do_not_depend_on_the_threads_that_a_student_asks_for() -> None:
    assert found("", threads=3)["verdicts"] == found("")["verdicts"]
