"""Scoring by Dask workers: what they need, what happens when they end, and that a cluster of others' machines does as well."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from grading import cluster
from grading.cohort import finished_by
from grading.course import Plan, find_course
from grading.crew import Batch, CrewError, Task
from grading.results import Edition, Finished, read_edition
from grading.submission import Submission
from tests.dying_worker import DEADLY, DEADLY_ONCE, DyingWorker
from tests.small_course import SmallCourse, fill, make_small_course

pytestmark = pytest.mark.usefixtures("needs_sandbox")
EMPTY = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def batches(plan: Plan, edition: Edition, *groups: tuple[str, ...]) -> Iterator[Batch]:
    for students in groups:
        submissions = [Submission(student, plan.assignment.name, EMPTY) for student in students]
        yield Batch(plan.assignment.name, edition, tuple(Task(s, edition.basis(s, 7)) for s in submissions))


@pytest.fixture(scope="module")
def edition(plan: Plan) -> Edition:
    return read_edition(find_course(), plan)


def statuses(finished: list[Finished]) -> dict[str, str]:
    return {one.result.student: one.result.status for one in finished}


def test_a_submission_over_which_workers_end_twice_is_ungraded_and_costs_nobody_else_anything(
    plan: Plan, edition: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ScoringWorker", DyingWorker)
    groups = batches(plan, edition, ("ada", DEADLY, "bo"), ("chen",), (DEADLY_ONCE, "dora"), ("emre", "fay"))
    with cluster.local_cluster(2, trust_students=False) as crew:
        finished = [one for group in finished_by(crew, groups, {plan.assignment.name: plan}) for one in group]
    others = ("ada", "bo", "chen", DEADLY_ONCE, "dora", "emre", "fay")
    assert statuses(finished) == dict.fromkeys(others, "graded") | {DEADLY: "ungraded"}
    lost = next(one for one in finished if one.result.student == DEADLY)
    assert "ended twice" in lost.result.findings[-1].message
    assert not lost.may_stand


def test_a_worker_with_another_course_refuses(plan: Plan, edition: Edition) -> None:
    """An older checkout on one machine of many would judge by other checks."""
    other = Edition("another", edition.machine)
    with (
        cluster.local_cluster(1, trust_students=False) as crew,
        pytest.raises(CrewError, match=r"another course.*same commit"),
    ):
        list(crew.score(batches(plan, other, ("ada",))))


def test_no_scheduler_is_one_sentence(tmp_path: Path) -> None:
    course = make_small_course(tmp_path)
    fill(course, 1)
    said = course.run("score", "--scheduler", "tcp://127.0.0.1:1", status=2)
    assert said.startswith("course: no scheduler answers at tcp://127.0.0.1:1")
    assert len(said.splitlines()) == 1


@contextmanager
def scheduler(course: SmallCourse, host: str = "127.0.0.1", within: Sequence[str] = ()) -> Iterator[str]:
    """A Dask scheduler, as an administrator starts one, with a command before it or without; its address."""
    command = [*within, sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", host, "--port", "0", "--no-dashboard"]
    with subprocess.Popen(command, cwd=course.root, env=course.environment(), stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield next(found for line in process.stderr if (found := re.search(r"tcp://[\d.]+:\d+", line))).group()
        finally:
            process.terminate()
            process.communicate(timeout=30)


@contextmanager
def worker(course: SmallCourse, address: str, within: Sequence[str] = ()) -> Iterator[None]:
    """A worker of a folder of its own."""
    command = [*within, *course.command("worker", address, "--workers", 1)]
    with subprocess.Popen(command, cwd=course.root, env=course.environment(), stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()
            process.communicate(timeout=30)


@contextmanager
def two_machines() -> Iterator[tuple[list[str], list[str]]]:
    """Two network namespaces with a cable between them, 10.77.0.1 and 10.77.0.2; the commands that run something in each."""
    names = [f"course-{os.getpid()}-{number}" for number in (1, 2)]
    with ExitStack() as stack:
        for name in names:
            subprocess.run(["ip", "netns", "add", name], check=True)
            stack.callback(subprocess.run, ["ip", "netns", "del", name], check=True)
        ends = ["type", "veth", "peer", "name", "eth0", "netns", names[1]]
        subprocess.run(["ip", "link", "add", "eth0", "netns", names[0], *ends], check=True)
        within = [["ip", "netns", "exec", name] for name in names]
        for number, inside in enumerate(within, start=1):
            subprocess.run([*inside, "ip", "address", "add", f"10.77.0.{number}/24", "dev", "eth0"], check=True)
            for device in ("lo", "eth0"):
                subprocess.run([*inside, "ip", "link", "set", device, "up"], check=True)
        yield within[0], within[1]


def may_make_namespaces() -> bool:
    """Whether this user may make network namespaces here."""
    if shutil.which("ip") is None or os.getuid() != 0:
        return False
    return subprocess.run(["unshare", "--net", "true"], check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not may_make_namespaces(), reason="needs root and network namespaces; to have them: apt-get install iproute2")
def test_workers_on_another_machine_are_reached_over_the_network_alone(tmp_path: Path) -> None:
    """The coordinator and its scheduler on one, the worker on the other."""
    for name in ("home", "away"):
        (tmp_path / name).mkdir()
    course, other = make_small_course(tmp_path / "home"), make_small_course(tmp_path / "away")
    fill(course, 6)
    course.run("score", "--workers", 0)
    expected = course.verdicts(), course.notebooks(), course.grades()
    subprocess.run(["rm", "-r", "autograded", "gradebook.db"], cwd=course.root, check=True)
    with two_machines() as (here, there), scheduler(course, "10.77.0.1", here) as address, worker(other, address, there):
        course.run("score", "--scheduler", address, within=here)
    assert (course.verdicts(), course.notebooks(), course.grades()) == expected


def test_a_scheduler_and_three_workers_in_folders_of_their_own_give_what_one_process_gives(tmp_path: Path) -> None:
    """The workers' folders hold neither inbox, gradebook nor secret; what they would write there is seen."""
    for name in ("home", "one", "two", "three"):
        (tmp_path / name).mkdir()
    course = make_small_course(tmp_path / "home")
    fill(course, 12)
    course.run("score", "--workers", 0)
    expected = course.verdicts(), course.notebooks(), course.grades()
    subprocess.run(["rm", "-r", "autograded", "gradebook.db"], cwd=course.root, check=True)
    others = [make_small_course(tmp_path / name) for name in ("one", "two", "three")]
    for other in others:
        shutil.rmtree(other.root / "submitted")
    before = [sorted(os.listdir(other.root)) for other in others]
    with ExitStack() as stack:
        address = stack.enter_context(scheduler(course))
        for other in others:
            stack.enter_context(worker(other, address))
        course.run("score", "--scheduler", address)
    assert (course.verdicts(), course.notebooks(), course.grades()) == expected
    assert [sorted(os.listdir(other.root)) for other in others] == before
    assert ".course_secret" in os.listdir(course.root)
    assert all(".course_secret" not in names for names in before)
