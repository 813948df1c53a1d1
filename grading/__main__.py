"""`python -m grading`: what the launcher runs."""

import grading.paper_cli  # noqa: F401  # adds its commands
from grading.cli import app

if __name__ == "__main__":  # worker processes import this module too
    app(prog_name="course")
