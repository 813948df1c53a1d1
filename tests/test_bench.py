"""What `./course bench` measures with: each part once and small, and the commands of benchmarks/ start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grading.bench.cost import BenchError, Cost, measure
from grading.bench.parts import PARTS, measure_parts, writes_a_second
from grading.bench.speed import Speed, honest_texts, in_words, median_wall_s, plan_to_measure
from grading.course import CourseError, Plan, find_course, load_plan
from grading.sandbox.launch import choose_launch


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load_plan(find_course(), "m1_attention")


def test_without_a_name_the_first_assignment_is_measured_that_is_the_same_for_everyone() -> None:
    home = find_course()
    assert home.assignments()[0] == "exam_attention"
    assert plan_to_measure(home).assignment.name == "m1_attention"
    assert plan_to_measure(home, "m3_entropy").assignment.name == "m3_entropy"


def test_a_drawn_paper_is_not_measured_and_the_refusal_says_so() -> None:
    with pytest.raises(CourseError, match="name another assignment"):
        plan_to_measure(find_course(), "exam_attention")


def test_what_a_submission_costs_beyond_starting_is_a_difference() -> None:
    assert Cost(10.0, 7.0, 500).marginal(Cost(4.0, 3.0, 400), 4) == Cost(1.5, 1.0, 500)


def test_a_command_is_measured_with_all_that_it_starts() -> None:
    burn = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'x = bytearray(60_000_000); sum(range(3_000_000))'])"
    cost = measure([sys.executable, "-c", burn], Path(), {})
    assert 0 < cost.cpu_s < 60
    assert cost.wall_s > 0


def test_what_a_command_leaves_behind_is_measured_too() -> None:
    """As the sandbox of a worker that was ended: its parent has gone before it."""
    burn = "import time; t = time.process_time()\nwhile time.process_time() < t + 0.6: pass"
    leave = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}], start_new_session=True)"
    assert measure([sys.executable, "-c", leave], Path(), {}).cpu_s > 0.6


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(BenchError, match="ended with status 3: so it is"):
        measure([sys.executable, "-c", "print('so it is'); raise SystemExit(3)"], Path(), {})


def test_the_coordinator_alone_writes_whole_results(plan: Plan, tmp_path: Path) -> None:
    root = tmp_path / "writing"
    assert writes_a_second(plan, honest_texts(find_course(), plan)[0], root, submissions=5, together=2) > 0
    written = sorted(path.parent.parent.name for path in (root / "autograded").glob("*/m1_attention/m1_attention.ipynb"))
    assert written == [f"student-0000{i}" for i in range(5)]


def test_one_submission_is_split_into_parts_that_all_cost_something(plan: Plan, needs_sandbox: None) -> None:
    parts = measure_parts(plan, honest_texts(find_course(), plan)[0], choose_launch(), repeat=3)
    assert set(parts) == set(PARTS)
    assert all(parts[name] > 0 for name in PARTS if name != "start and end a child"), "that one is told in hundredths of a second"


def test_the_ratio_is_that_of_the_medians_and_is_told_in_words() -> None:
    stock, ours = [Cost(2.0, 1.9, 10**8), Cost(4.0, 3.9, 10**8)], [Cost(0.02, 0.03, 10**8), Cost(0.05, 0.06, 10**8)]
    speed = Speed("m1_attention", {"cores": 2}, stock, ours, [(10, 2, Cost(3.0, 5.0, 10**8))], {"finish": 2.0}, 200.0)
    assert median_wall_s(stock) == 2.0
    assert speed.ratio == pytest.approx(100)
    assert speed.as_dict()["ratio"] == speed.ratio
    told = "\n".join(in_words(speed))
    for words in ("50.00 submissions a second", "ratio of submissions a second: 100", "500 ms of processor time", "200 a second"):
        assert words in told


@pytest.mark.parametrize("script", sorted(path.stem for path in (find_course().root / "benchmarks").glob("*.py")))
def test_a_command_of_benchmarks_starts_as_its_first_lines_say(script: str) -> None:
    root = find_course().root
    assert f"-m benchmarks.{script}" in (root / "benchmarks" / f"{script}.py").read_text()
    ran = subprocess.run([sys.executable, "-m", f"benchmarks.{script}", "--help"], cwd=root, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
