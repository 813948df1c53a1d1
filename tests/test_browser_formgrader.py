"""nbgrader's formgrader in a real browser: the same grades, verdicts that can be read, and points given by a person that stay."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import TOKEN, chromium, formgrader, started_browser
from tests.small_course import SmallCourse, make_small_course
from tests.tiny_course import HALF, RIGHT


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, needs_sandbox: None) -> SmallCourse:
    """A course of two assignments; ada's answers are right, bo's half of them, and nobody can read cy's file."""
    place = make_small_course(tmp_path_factory.mktemp("course"))
    place.hand_in("ada", RIGHT | {"essay": "# Mine\n\nBecause *x* grows."})
    place.hand_in("bo", HALF | {"essay": "no idea <script>alert(1)</script>"})
    place.hand_in("cy", "no notebook at all")
    place.run("score", "tiny")
    return place


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(course: SmallCourse, browser: Browser) -> Iterator[str]:
    assert chromium()
    with formgrader(course.root, course.environment()) as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 1000}) as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        page.goto(f"{address}/formgrader?token={TOKEN}")
        yield page


def open_submission(page: Page, address: str, student: str) -> None:
    """The page on which a person grades."""
    page.goto(f"{address}/formgrader/gradebook/tiny/tiny?token={TOKEN}")
    page.wait_for_selector("tbody tr td a")
    page.goto(f"{address}/formgrader/manage_submissions/tiny?token={TOKEN}")
    page.wait_for_selector(f"tbody tr:has-text('{student}')")
    page.goto(f"{address}/formgrader/manage_students/{student}/tiny?token={TOKEN}")
    page.locator("tbody tr td.name a, tbody tr td a").first.click()
    page.wait_for_load_state()


def test_the_table_of_submissions_shows_the_grades_of_the_scoring_run(page: Page, address: str, course: SmallCourse) -> None:
    page.goto(f"{address}/formgrader/manage_submissions/tiny?token={TOKEN}")
    page.wait_for_selector("tbody tr:has-text('bo')")
    points = {key.split("/")[0]: found["points"] for key, found in course.verdicts().items()}
    assert points == {"ada": 5.0, "bo": 2.0, "cy": 0.0}
    for student in ("ada", "bo"):
        row = page.locator(f"tbody tr:has-text('{student}')")
        expect(row).to_contain_text(f"{points[student]:g} / 7")
        expect(row).to_contain_text("needs manual grading")


def test_verdicts_are_read_in_the_cells_and_a_students_markup_is_text(page: Page, address: str) -> None:
    open_submission(page, address, "bo")
    expect(page.locator("body")).to_contain_text("passed 2/2")
    expect(page.locator("body")).to_contain_text("fail 0/3")
    expect(page.locator("body")).to_contain_text("Expected: three times the number")
    assert page.locator(".verdicts li").first.is_visible()


def test_points_and_comments_of_a_person_survive_the_next_run(page: Page, address: str, course: SmallCourse) -> None:
    open_submission(page, address, "ada")
    field = page.locator("input.score").last
    field.fill("1.5")
    field.press("Tab")
    comment = page.locator("textarea.comment").last
    comment.fill("Well argued.")
    comment.press("Tab")
    page.wait_for_timeout(1500)  # the page saves by itself, a moment after the field is left
    course.hand_in("ada", RIGHT | {"essay": "Because."})
    course.run("score", "tiny")
    open_submission(page, address, "ada")
    expect(page.locator("input.score").last).to_have_value("1.5")
    expect(page.locator("textarea.comment").last).to_have_value("Well argued.")


def test_what_no_machine_could_decide_is_no_zero(page: Page, address: str) -> None:
    open_submission(page, address, "cy")
    fields = page.locator("input.score")
    assert fields.count() >= 2
    assert [fields.nth(i).input_value() for i in range(2)] == ["", ""]
