"""`python -m grading`: what the launcher runs."""

import os
import sys

import grading.paper_cli  # these modules add their commands
import grading.similarity_cli
import grading.ways_cli  # noqa: F401
from grading.cli import app


def main() -> None:
    """Run a command. A reader that has seen enough, as `| head` has, is no error of anybody's."""
    try:
        app(prog_name="course")
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go


if __name__ == "__main__":  # worker processes import this module too
    main()
