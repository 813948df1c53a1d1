"""`python -m grading`: what the launcher runs."""

import os
import sys

import typer


def all_commands() -> typer.Typer:
    """The commands of every module that has some. Raises ModuleNotFoundError where the environment lacks a package."""
    import grading.paper_cli
    import grading.similarity_cli
    import grading.ways_cli  # noqa: F401
    from grading.cli import app

    return app


def main() -> None:
    """Run a command. A reader that has seen enough, as `| head` has, is no error of anybody's."""
    try:
        app = all_commands()
    except ModuleNotFoundError as error:
        print(f"course: the package {error.name} is not there. Delete .venv, and ./course makes it anew", file=sys.stderr)
        sys.exit(2)
    try:
        app(prog_name="course")
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go


if __name__ == "__main__":  # worker processes import this module too
    main()
