"""How the commands of ./course complain: what happened, where, what to do; with --debug the traceback too."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import typer
from sqlalchemy.exc import DBAPIError

from grading.bench.cost import BenchError
from grading.build import BuildError
from grading.checks import NoSuchAssignment
from grading.course import CourseError
from grading.crew import CrewError
from grading.demo import NoCohort
from grading.gradebook import GradebookError
from grading.sandbox.warm import SandboxFault
from grading.sandboxed import NoSandbox

OURS = (CourseError, NoSuchAssignment, NoSandbox, GradebookError, NoCohort, SandboxFault, CrewError, BenchError)

# Whether the command was given --debug.
debugging: ContextVar[bool] = ContextVar("debugging", default=False)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Faults of the course or of the arguments as one sentence and exit status 2; what nobody foresaw as status 70."""
    try:
        yield
    except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
        raise  # typer's own; and whoever read our output has seen enough
    except BuildError as error:
        raise complain(error, 1, *error.faults) from error
    except OURS as error:
        raise complain(error, 2, str(error)) from error
    except DBAPIError as error:
        told = f"the gradebook cannot be used: {error.orig}. What has been written stands; mend that, and run again"
        raise complain(error, 2, told) from error
    except OSError as error:
        what = error.filename2 or error.filename or "a file or a connection"
        why = error.strerror or str(error) or type(error).__name__  # a broken connection carries neither name nor number
        raise complain(error, 2, f"{what} cannot be used: {why}") from error
    except Exception as error:
        told = f"{type(error).__name__}: {error}. This is a fault of the course itself, and nothing that you did; "
        raise complain(
            error, 70, told + "`./course --debug` before the command shows where, which is what a report needs"
        ) from error


def complain(error: Exception, status: int, *told: str) -> typer.Exit:
    """Say it on stderr, after the traceback where one is asked for; how the command is to end."""
    if debugging.get():
        traceback.print_exception(error, file=sys.stderr)
    for line in told:
        print(f"course: {line}", file=sys.stderr)
    return typer.Exit(status)
