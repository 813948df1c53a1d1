"""`python -m grading`: what the launcher runs."""

from grading.cli import app

if __name__ == "__main__":  # worker processes import this module too
    app(prog_name="course")
