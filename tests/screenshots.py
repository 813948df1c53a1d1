"""Writes the pictures of docs/ that show pages, in a real browser: the report of the sample cohort, and nbgrader's formgrader.

./course demo && .venv/bin/python -m tests.screenshots
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from grading.course import find_course
from tests.browser import TOKEN, formgrader, started_browser
from tests.small_course import make_small_course
from tests.test_browser_formgrader import open_submission
from tests.tiny_course import HALF, RIGHT


def report(browser: Browser, page_of: Path, picture: Path) -> None:
    """The upper part of a report."""
    page = browser.new_page(viewport={"width": 1280, "height": 1500})
    page.goto(page_of.as_uri())
    page.screenshot(path=picture)
    page.close()


def graded_submission(browser: Browser, folder: Path, picture: Path) -> None:
    """A submission as formgrader shows it, verdicts in its cells."""
    course = make_small_course(folder)
    course.hand_in("ada", RIGHT | {"essay": "# Mine\n\nBecause *x* grows."})
    course.hand_in("bo", HALF | {"essay": "No idea."})
    course.run("score", "tiny")
    with formgrader(course.root, course.environment()) as address:
        page = browser.new_page(viewport={"width": 1100, "height": 1000})
        page.goto(f"{address}/formgrader?token={TOKEN}")
        open_submission(page, address, "bo")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=picture)
        page.close()


def main() -> None:
    """Write them."""
    root = find_course().root
    with started_browser() as browser, tempfile.TemporaryDirectory() as folder:
        report(browser, root / "demo" / "autograded" / "report.html", root / "docs" / "report.png")
        graded_submission(browser, Path(folder), root / "docs" / "formgrader.png")


if __name__ == "__main__":
    main()
