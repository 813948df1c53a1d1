"""Which line of defence is chosen, from what a machine offers; what the doctor says of it; what the filter holds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grading import doctor
from grading.course import find_course
from grading.sandbox import probe, seccomp
from grading.sandbox.inside.cage import FILTERS, NAMESPACES, NONE
from grading.sandbox.launch import bare_launch, choose
from grading.sandbox.probe import Offer, last_line


def offer(bubble: bool, namespaces: str = "", filters: str = "", unreadable: str = "", uid: int = 0) -> Offer:
    place = f"{'bubblewrap' if bubble else 'no bubblewrap'}, user {uid}"
    return Offer(place, ("bwrap",) if bubble else (), bubble, uid, unreadable, {NAMESPACES: namespaces, FILTERS: filters}, 7)


WORKS_ALL = (offer(True, uid=65_532), offer(True), offer(False))


def test_namespaces_inside_bubblewrap_come_first_and_an_ordinary_user_before_root() -> None:
    chosen = choose(WORKS_ALL)
    assert (chosen.line, chosen.bubble, chosen.uid) == (NAMESPACES, True, 65_532)


def test_packages_that_the_ordinary_user_cannot_read_leave_the_next_place() -> None:
    chosen = choose((offer(True, unreadable="no", uid=65_532), *WORKS_ALL[1:]))
    assert (chosen.line, chosen.bubble, chosen.uid) == (NAMESPACES, True, 0)


def test_filters_inside_bubblewrap_come_before_filters_alone() -> None:
    chosen = choose((offer(True, namespaces="off"), offer(False)))
    assert (chosen.line, chosen.bubble) == (FILTERS, True)


def test_namespaces_without_bubblewrap_are_no_line_for_the_files_would_be_in_view() -> None:
    chosen = choose((offer(False),))
    assert (chosen.line, chosen.bubble) == (FILTERS, False)


@pytest.mark.parametrize(
    "offers", [(), (offer(True, "off", "off"), offer(False, "off", "off"))], ids=["no place", "nothing works"]
)
def test_without_any_line_the_launch_says_unsandboxed(offers: tuple[Offer, ...]) -> None:
    chosen = choose(offers)
    assert chosen == bare_launch()
    assert chosen.line == NONE
    assert not chosen.sandboxed
    assert chosen.description.startswith("unsandboxed")


def test_a_place_that_cannot_be_started_is_an_offer_with_its_reason() -> None:
    found = probe.try_place("nowhere", (sys.executable, "-c", "raise SystemExit('it does not start')"), False, 0)
    assert found.fault(NAMESPACES) == found.fault(FILTERS) == "it does not start"
    assert last_line(b"") == "it could not be started"


def test_without_bubblewrap_the_second_line_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe.shutil, "which", lambda name: None)
    assert probe.places()
    assert not any(inside for _, _, inside, _ in probe.places())


def test_a_course_among_the_systems_folders_has_no_second_line_outside_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Landlock opens folders whole: it would show the course with them."""
    monkeypatch.setattr(probe.bubble, "COURSE", Path("/usr/lib/course"))
    assert all(inside for _, _, inside, _ in probe.places())


def test_without_libseccomp_there_is_no_filter_and_the_second_line_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(seccomp.NoFilter, match="libseccomp is missing"):
        seccomp.compiled.__wrapped__(True)
    seccomp.compiled.cache_clear()
    try:
        assert probe.filters(7) == {}
        found = probe.try_place("here", (), False, 0)
        assert "libseccomp is missing" in found.fault(FILTERS)
    finally:
        seccomp.compiled.cache_clear()


def test_a_filter_is_whole_instructions_and_stricter_where_others_are_in_sight() -> None:
    alone, among_others, without_scope = (seccomp.compiled(*given) for given in ((False,), (True,), (True, False)))
    assert 0 < len(alone) < len(among_others) < len(without_scope)
    assert not {len(program) % 8 for program in (alone, among_others, without_scope)} - {0}


def said(offers: tuple[Offer, ...], monkeypatch: pytest.MonkeyPatch) -> dict[str, doctor.Advice]:
    monkeypatch.setattr(doctor, "probe", lambda: offers)
    monkeypatch.setattr(doctor, "choose_launch", lambda: choose(()))
    return {advice.name: advice for advice in doctor.examine(find_course())}


def test_the_doctor_says_of_each_layer_what_it_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    told = said(WORKS_ALL, monkeypatch)
    layers = ("bubblewrap", "user namespaces", "ordinary user", "Landlock", "seccomp", "limits")
    assert all(told[name].stops for name in layers)
    assert told["user namespaces"].well


@pytest.mark.parametrize("forbidden", [True, False])
def test_the_doctor_names_the_case_of_apparmor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forbidden: bool) -> None:
    setting = tmp_path / "apparmor_restrict_unprivileged_userns"
    setting.write_text("1\n" if forbidden else "0\n")
    monkeypatch.setattr(doctor, "_APPARMOR", setting)
    told = said((offer(True, namespaces="no user namespaces: Permission denied"),), monkeypatch)["user namespaces"]
    assert not told.well
    assert ("AppArmor" in told.remedy) is forbidden
    assert "second line" in told.remedy
