"""What has been graded, and what it depends on: a result stands as long as nothing that it depends on has changed."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import grimp

from grading.blueprint import normal
from grading.course import Course, Plan
from grading.notebooks import grade_id, is_answer, write_compact
from grading.score import Scored
from grading.submission import Submission
from grading.variant import Variant
from grading.verdict import Result, Verdict

# Findings about a run rather than a submission: another run may do better.
_PASSING = {"grader-fault", "starved", "worker-died"}
# What scores a submission; the inside of the sandbox is loaded by its files' names.
_SCORING = ("score", "runners", "expectations", "sandbox")


@dataclass(frozen=True)
class Basis:
    """What a result depends on, as hashes: what was handed in, the assignment (its notebook, given files, checks, points and
    limits), the machine (the code that scores, and what it runs on); and the seed of the hidden inputs."""

    submission: str
    assignment: str
    machine: str
    seed: int

    def changes_since(self, other: Basis | None) -> list[str]:
        """In words, what differs from an earlier basis."""
        if other is None:
            return ["nothing is known of how it was graded before"]
        words = {
            "submission": "something else was handed in",
            "assignment": "the assignment or its checks have changed",
            "machine": "the code that scores has changed, or what it runs on",
            "seed": "the hidden inputs are others",
        }
        return [said for name, said in words.items() if getattr(self, name) != getattr(other, name)]


@dataclass(frozen=True)
class Graded:
    """A result, the grade ids of the answer cells in which nothing was written, and what both depend on."""

    result: Result
    unanswered: frozenset[str]
    basis: Basis | None

    def as_json(self) -> bytes:
        """The content of verdicts.json."""
        basis = asdict(self.basis) if self.basis else None
        content = {**self.result.as_dict(), "unanswered": sorted(self.unanswered), "basis": basis}
        return (json.dumps(content, indent=1) + "\n").encode()

    @property
    def may_stand(self) -> bool:
        """Whether another run on the same basis would come to the same result."""
        return not any(finding.kind in _PASSING for finding in self.result.findings)


@dataclass(frozen=True)
class Finished(Graded):
    """A graded submission with its notebook and what student code printed while it was asked, as they are written."""

    notebook: bytes
    record: bytes

    @classmethod
    def of(cls, plan: Plan, scored: Scored, basis: Basis | None) -> Self:
        """From what `score` returned."""
        text = write_compact(scored.notebook).encode("utf-8", "replace")
        return cls(scored.result, empty_answers(plan, scored), basis, text, scored.record.encode("utf-8", "replace"))

    def without_notebook(self) -> Graded:
        """What is kept in memory of a run."""
        return Graded(self.result, self.unanswered, self.basis)


def read_graded(folder: Path) -> Graded | None:
    """What a folder of autograded/ says of its submission; None where there is none, or nothing that can be read."""
    try:
        content = json.loads((folder / "verdicts.json").read_bytes())
        basis = Basis(**content["basis"]) if content.get("basis") else None
        return Graded(Result.from_dict(content), frozenset(content.get("unanswered", [])), basis)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def empty_answers(plan: Plan, scored: Scored) -> frozenset[str]:
    """Grade ids of answer cells in which nothing was written; none of a submission that could not be judged at all."""
    if all(c.verdict is Verdict.UNGRADED for c in scored.result.checks):
        return frozenset()
    answers = {g: cell.source for cell in scored.notebook.cells if is_answer(cell) and (g := grade_id(cell))}
    places = plan.blueprint.by_grade_id
    return frozenset(g for g, text in answers.items() if normal(text) in {"", *plan.blueprint.texts[places[g]]})


@dataclass(frozen=True)
class Edition:
    """The hashes of an assignment and of the machine, the same for all submissions of a run."""

    assignment: str
    machine: str

    def basis(self, submission: Submission, seed: int, variant: Variant | None = None) -> Basis:
        """What the result of one submission depends on; where something was drawn for its student, the draw is part of what
        the assignment is."""
        drawn = hashlib.sha256(self.assignment.encode() + variant.key).hexdigest() if variant else self.assignment
        return Basis(hash_of_submission(submission), drawn, self.machine, seed)


def read_edition(course: Course, plan: Plan) -> Edition:
    """Read everything that the results of an assignment depend on, save the submissions and the seed."""
    name, root = plan.assignment.name, course.root
    source = [course.source / name / file for file in (f"{name}.ipynb", *plan.assignment.given)]
    graph = grimp.build_graph("grading", "grader_tests", cache_dir=None)
    checks = modules_behind(graph, f"grader_tests.{name}")
    machine = checks.union(*(modules_behind(graph, f"grading.{name}") for name in _SCORING))
    lock = root / "requirements.lock"
    told = [platform.python_version(), lock.read_text() if lock.is_file() else ""]
    return Edition(
        hash_of_files(root, [*source, *files_of(root, graph, checks, "grader_tests")]),
        hash_of_files(root, files_of(root, graph, machine, "grading"), told),
    )


def modules_behind(graph: grimp.ImportGraph, name: str) -> set[str]:
    """A module, what is inside it, and all that these import."""
    inside = {name, *graph.find_descendants(name)}
    return inside.union(*(graph.find_upstream_modules(found) for found in inside))


def files_of(root: Path, graph: grimp.ImportGraph, modules: Iterable[str], package: str) -> list[Path]:
    """The files of a package's modules, in order, and what lies beside those of its subpackages: modules read that."""
    files = set()
    for name in modules:
        path = root.joinpath(*name.split("."))
        if name.split(".")[0] != package:
            continue
        file = path / "__init__.py" if graph.find_children(name) else path.with_suffix(".py")
        files.add(file)
        if file.parent != root / package:
            files.update(p for p in file.parent.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc"))
    return sorted(files)


def hash_of_files(root: Path, files: Iterable[Path], told: Iterable[str] = ()) -> str:
    """Names and contents, in order."""
    digest = hashlib.sha256()
    for path in files:
        _add(digest, str(path.relative_to(root)).encode(), path.read_bytes())
    _add(digest, *(text.encode() for text in told))
    return digest.hexdigest()


def hash_of_submission(submission: Submission) -> str:
    """The notebook, the files that were asked for, and what was found about them."""
    digest = hashlib.sha256()
    content = submission.content
    _add(digest, submission.reason.encode("utf-8", "surrogateescape"), b"" if content is None else b"notebook", content or b"")
    findings: list[Mapping[str, Any]] = [asdict(finding) for finding in submission.findings]
    _add(digest, json.dumps(findings, sort_keys=True).encode())
    for name, data in sorted(submission.files.items()):
        _add(digest, name.encode(), data)
    return digest.hexdigest()


def _add(digest: Any, *parts: bytes) -> None:
    """Each part with its length, so that no two lists of parts look alike."""
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
