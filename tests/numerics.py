"""Verdicts of answers of the zoo on this machine's instruction set, and with another number of threads, as JSON.

    ATEN_CPU_CAPABILITY=default .venv/bin/python -m tests.numerics m1_attention/right_plain m3_entropy/wrong_claims_all_true
    .venv/bin/python -m tests.numerics --threads 2 m1_attention/right_plain

Under another version of torch, with the Python of an environment that has it beside the rest of the lock file, the whole zoo of
an assignment; then compare the files:

    python -m tests.numerics m1_attention > here.json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace

import torch

from grading.course import find_course, load_plan
from grading.runners import LocalRunner
from tests.test_zoo import judge
from tests.zoo_answers import Answer, read_zoo

SEED = 6050


def asking_for_threads(answer: Answer, threads: int) -> Answer:
    """The same answer, which first asks torch for so many threads, as a student might who has read that it helps."""
    return replace(answer, text=f"{answer.text}\n\nimport torch\n\ntorch.set_num_threads({threads})\n") if threads else answer


def verdicts(asked: str, threads: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Of one answer, or of all of an assignment, the verdict of each check."""
    name, _, stem = asked.partition("/")
    plan = load_plan(find_course(), name)
    for answer in read_zoo(name):
        if stem in ("", answer.path.stem):
            result = judge(plan, asking_for_threads(answer, threads), LocalRunner(), SEED)
            yield f"{name}/{answer.path.stem}", {check.check: check.verdict.value for check in result.checks}


def main() -> None:
    """Print what this process's torch can do, and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("asked", nargs="+", help="an assignment, or assignment/answer; answers are files of the zoo, without .py")
    parser.add_argument("--threads", type=int, default=0, help="so many are asked for by each answer")
    options = parser.parse_args()
    found = {answer: told for asked in options.asked for answer, told in verdicts(asked, options.threads)}
    print(json.dumps({"torch": torch.__version__, "set": torch.backends.cpu.get_cpu_capability(), "verdicts": found}, indent=1))


if __name__ == "__main__":
    main()
