"""`python -m grading`: what the launcher runs."""

from grading.cli import app

app(prog_name="course")
