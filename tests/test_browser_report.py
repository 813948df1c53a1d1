"""The report in a real browser: what a person sees, by eye, by keyboard, by screen reader, on paper and on a telephone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from grading.report import render_report
from grading.verdict import Finding
from tests.browser import started_browser
from tests.test_report import STUDENTS, made

LETTERS = ["PPPPP", "FPPPP", "PFFPP", "EEEPP", "PPPTP", "MPPPP", "XPPPP", "PPUPP", "FFFFF"]
ATTACK = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty students, every verdict, a file that is no notebook, a name that is an attack."""
    results = [made(student, LETTERS[i % len(LETTERS)]) for i, student in enumerate(STUDENTS[:-2])]
    results += [made(STUDENTS[0], "PPPFF", assignment=f"stretch_multihead_{i}") for i in range(6)]
    results.append(made(ATTACK, "FPPPP", (Finding("renamed", None, ATTACK),)))
    results.append(made(STUDENTS[-1], "UUUUU", (Finding("unreadable", None, "The file is not JSON."),)))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_report(results, "Scoring report"))
    return path


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The report, opened; it asks for nothing else and runs nothing."""
    asked: list[str] = []
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        page.goto(report.as_uri())
        yield page
    assert asked == [report.as_uri()]


def test_what_waits_for_a_person_stands_above_everything_else(page: Page) -> None:
    places = {name: page.locator(f"#{name}").bounding_box() for name in ("ungraded", "distribution", "grid")}
    assert all(places.values())
    assert places["ungraded"]["y"] < places["distribution"]["y"] < places["grid"]["y"]
    assert places["ungraded"]["y"] < 900, "seen without scrolling"


def test_a_screen_reader_finds_headings_in_order_named_tables_and_no_empty_graphic(page: Page) -> None:
    levels = [int(tag[1]) for tag in page.locator("h1, h2, h3").evaluate_all("all => all.map(e => e.tagName)")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    tables = page.locator("table").evaluate_all("all => all.map(t => t.caption && t.caption.innerText.trim())")
    assert tables
    assert all(tables)
    unnamed = ":not([aria-hidden=true]):not([aria-label]):not([aria-labelledby])"
    assert page.locator(f"svg{unnamed}").count() == 0
    heard = page.locator("body").aria_snapshot()
    assert 'heading "Scoring report" [level=1]' in heard
    assert 'cell "fail"' in heard, "a verdict is read as a word"


def test_everything_can_be_reached_and_opened_by_keyboard(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0, "the link shows when it has the focus"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    summary = page.locator("details summary").first
    before = page.locator("details").first.evaluate("d => d.open")
    summary.focus()
    assert summary.evaluate("s => getComputedStyle(s).outlineStyle") != "none"
    page.keyboard.press("Enter")
    assert page.locator("details").first.evaluate("d => d.open") is not before


CONTRAST = """
(scheme) => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const under = e => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const worst = {ratio: 99};
  for (const e of document.querySelectorAll("h1, h2, h3, p, td, th, dt, dd, a, li, span, figcaption, caption, code")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const box = e.getBoundingClientRect();
    if (!own || box.width < 2 || e.closest("svg") || getComputedStyle(e).visibility === "hidden") continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(under(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) Object.assign(worst, {ratio, text: e.innerText.slice(0, 40), tag: e.tagName, cls: e.className});
  }
  return worst;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_in_dark(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    worst = page.evaluate(CONTRAST, scheme)
    assert worst["ratio"] >= 4.5, worst  # WCAG 2.1, level AA
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(int(c) for c in re.findall(r"\d+", paper)[:3]) > 600) == (scheme == "light")


def test_a_print_has_all_details_and_no_navigation(page: Page) -> None:
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    inside = page.locator("details .inside").first
    assert inside.evaluate("e => e.getBoundingClientRect().height") > 0
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")


def test_on_a_telephone_nothing_but_tables_scrolls_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


@pytest.mark.parametrize("width", [380, 800, 1280])
def test_no_figure_spills_over_its_card(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    spilt = "all => all.filter(card => card.scrollWidth > card.clientWidth).map(card => card.innerText)"
    assert page.locator(".facts div").evaluate_all(spilt) == []


def test_what_a_student_named_themselves_is_text(page: Page) -> None:
    assert page.locator("img, script").count() == 0
    assert page.get_by_text(ATTACK).count() > 0
