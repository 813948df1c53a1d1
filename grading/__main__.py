"""`python -m grading`: what the launcher runs."""

import grading.paper_cli  # noqa: F401  # adds its commands
from grading.cli import app

app(prog_name="course")
