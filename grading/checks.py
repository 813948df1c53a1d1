"""What a check is: a function that questions a Student, with a name, a graded cell and points.

Called by the modules of `grader_tests`, which are written with `@check(...)`, and by whatever runs them.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import torch

from grading.curves import Retraining
from grading.limits import Limits
from grading.messages import Explanation, explain_fault
from grading.student import Student, StudentFault, StudentMemory, StudentTimeout, TransportFault
from grading.variant import Variant
from grading.verdict import CheckResult, Item, Verdict, earned
from grading.wire import WireError

Question = Callable[[Student, torch.Generator], Item | None]


class CheckFailed(Exception):
    """The answer is not right; says in words what was checked, what came back, what was expected, and one hint."""

    def __init__(self, came: str, expected: str, hint: str = "", mistake: str = "", item: Item | None = None) -> None:
        super().__init__(". ".join(part for part in (came, expected, mistake or hint) if part))
        self.came, self.expected, self.hint, self.mistake, self.item = came, expected, hint, mistake, item


class CheckForbidden(Exception):
    """The answer uses what its cell asked to do without."""


@dataclass(frozen=True)
class Check:
    """One question to a student's notebook.

    `cell` is the grade id of the graded cell that the points belong to; `uses` are the names that are kept when that cell has
    ended; `about` says in a few words what is checked, for students.
    """

    name: str
    cell: str
    points: float
    uses: tuple[str, ...]
    about: str
    question: Question

    def run(self, student: Student, seed: int, explain: Explanation) -> CheckResult:
        """Ask, and decide; an error that is not the student's leaves the check UNGRADED."""
        verdict, message, item = self._decide(student, seed, explain)
        return CheckResult(self.name, self.cell, earned(verdict, self.points), self.points, verdict, message, item)

    def _decide(self, student: Student, seed: int, explain: Explanation) -> tuple[Verdict, str, Item | None]:
        try:
            item = self.question(student, check_generator(seed, self.name))
        except CheckFailed as failure:
            hint = failure.mistake or failure.hint
            return Verdict.FAIL, explain.failure(self.about, failure.came, failure.expected, hint), failure.item
        except CheckForbidden as failure:
            return Verdict.FORBIDDEN, f"Checked: {self.about}. {failure}", None
        except StudentFault as fault:
            return _verdict_of(fault), f"Checked: {self.about}. {explain_fault(fault, explain)}", None
        except WireError as error:
            return Verdict.ERROR, f"Checked: {self.about}. Your code sent what no notebook sends ({error}).", None
        except TransportFault:
            raise  # no check can be decided now; the whole submission is to be scored again
        except Exception as error:
            return Verdict.UNGRADED, ungraded_message(error), None
        return Verdict.PASS, f"Right: {self.about}.", item


def ungraded_message(error: Exception) -> str:
    """What a person reads about a fault of ours; a student learns that it is being looked into."""
    return f"This check could not be decided ({type(error).__name__}); a person will look at it. No points are lost by this."


def _verdict_of(fault: StudentFault) -> Verdict:
    if isinstance(fault, StudentTimeout):
        return Verdict.TIMEOUT
    return Verdict.MEMORY if isinstance(fault, StudentMemory) else Verdict.ERROR


def check(name: str, *, cell: str, points: float, uses: Sequence[str], about: str) -> Callable[[Question], Check]:
    """Make a Check of a question: a function of a Student and a torch.Generator that raises CheckFailed or returns."""

    def decorate(question: Question) -> Check:
        return Check(name, cell, points, tuple(uses), about, question)

    return decorate


@dataclass(frozen=True)
class Personal:
    """What is a student's own of an assignment: its code, the texts of source cells by cell id (None: the cell is left out), and
    the checks that go with them; `sheet` is the instructor's key to it, in Markdown."""

    mark: str
    texts: Mapping[str, str | None]
    checks: tuple[Check, ...]
    sheet: str = ""


@dataclass(frozen=True)
class Assignment:
    """What the machine is told about an assignment: its checks, points by graded cell, limits, and files.

    `points` are the agreed points of each graded cell, `manual_points` of each cell that a person grades: `build` holds the
    notebook and the checks to them. `given` names the files that students get beside the notebook, `handed_in` those that
    they hand in. `personal` draws what is a student's own, where that is not the same for all: `checks` are then those of the
    practice paper, and every student's have the same names, cells and points. `key` writes files for the instructor's solutions
    folder, by name. `retraining` says how the training in its notebook is repeated, where it has one.
    """

    name: str
    points: Mapping[str, float]
    manual_points: Mapping[str, float] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    given: tuple[str, ...] = ()
    handed_in: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    personal: Callable[[Variant], Personal] | None = None
    key: Callable[[], Mapping[str, str]] | None = None
    retraining: Retraining | None = None

    def checks_of(self, cell: str) -> tuple[Check, ...]:
        """The checks of one graded cell, in order."""
        return tuple(c for c in self.checks if c.cell == cell)

    def kept_names(self, cell: str) -> tuple[str, ...]:
        """The names that the checks of one graded cell use."""
        return tuple(sorted({name for c in self.checks_of(cell) for name in c.uses}))


class NoSuchAssignment(Exception):
    """grader_tests has no module of that name, or it declares no ASSIGNMENT."""


def load_assignment(name: str) -> Assignment:
    """The assignment that `grader_tests/<name>.py` declares, with its checks. Raises NoSuchAssignment."""
    try:
        module = importlib.import_module(f"grader_tests.{name}")
    except ModuleNotFoundError as error:
        if error.name not in ("grader_tests", f"grader_tests.{name}"):  # something that the module itself needs
            raise
        raise NoSuchAssignment(f"there are no checks for {name}: grader_tests/{name}.py is missing") from error
    declared = getattr(module, "ASSIGNMENT", None)
    if not isinstance(declared, Assignment):
        raise NoSuchAssignment(f"grader_tests/{name}.py declares no ASSIGNMENT")
    if not declared.checks:
        raise NoSuchAssignment(f"the ASSIGNMENT of grader_tests/{name}.py lists no checks")
    return declared


def check_generator(seed: int, name: str) -> torch.Generator:
    """The generator of one check's inputs: HMAC-SHA256 of its name under the run's seed, so that checks are independent."""
    digest = hmac.new(seed.to_bytes(16, "big"), name.encode(), hashlib.sha256).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)


def total_points(checks: Iterable[Check]) -> float:
    """The sum of the checks' points."""
    return float(sum(c.points for c in checks))
