"""Downloads of Canvas and Moodle through nbgrader's own zip_collect, and feedback on them back to where they came from."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import nbformat
import pytest
from typer.testing import CliRunner

import grading.ways_cli  # noqa: F401  # adds a command
from grading.cli import app
from grading.course import Course, CourseError
from grading.gradebook import without_programs
from grading.lms.archives import Bounds, Unpacking
from grading.lms.attempts import Decision, Found, decide
from grading.lms.handback import returns
from grading.lms.listing import read_listing
from grading.lms.names import is_named, read_claim
from grading.lms.roster import Roster, read_lms_roster
from tests.lms_downloads import HALF_TEXT, RIGHT_TEXT, TUESDAY, put_archive, with_link, zipped
from tests.small_course import SmallCourse, make_small_course
from tests.tiny_course import Place, make_course

ROSTER = """student_id,canvas_id,moodle_id,name,email,submitted_at
jana,101,7001,"Müller, Jana",jana@uni.example,2026-06-15T08:30:00+02:00
jürgen o'neil,102,7002,Jürgen O'Neil,,
li1,,,Li Wei,,
li2,,,Li Wei,,
pat,,,Pat Lake,,
bob,104,7004,Bob Stone,,
eve,105,7005,Eve Adams,,
carl,106,7006,Carl Lee,,
dora,107,7007,Dora Khan,,
ann,108,7008,Ann Ito,ann@uni.example,
"""
BOMB = zipped({"tiny.ipynb": b"0" * 3_000_000})
SLIP = with_link(
    {"../../../../../submitted/eve/tiny/tiny.ipynb": "slipped", "/tmp/slipped.ipynb": "slipped", "C:\\slipped.ipynb": "slipped"},
    "tiny.ipynb",
    "../../../../../outside.txt",
)
PACKED = zipped(
    {
        "Meine Lösung/tiny.ipynb": RIGHT_TEXT,
        "Meine Lösung/notes.csv": "a,b",
        "Meine Lösung/.DS_Store": "x",
        "__MACOSX/Meine Lösung/._tiny.ipynb": "x",
        "Meine Lösung/.ipynb_checkpoints/tiny-checkpoint.ipynb": HALF_TEXT,
    }
)
CANVAS: dict[str, str | bytes] = {
    "müllerjana_LATE_101_900_tiny.ipynb": HALF_TEXT,
    "müllerjana_LATE_101_950_tiny-1.ipynb": RIGHT_TEXT,
    "oneiljürgen_102_901_Meine Lösung.zip": PACKED,
    "liwei_110_902_tiny.ipynb": RIGHT_TEXT,
    "strangerzoe_999_903_tiny.ipynb": RIGHT_TEXT,
    "stonebob_104_904_bomb.zip": BOMB,
    "adamseve_105_905_slip.zip": SLIP,
    "leecarl_106_906_broken.zip": b"PK\x03\x04 and no more",
    "khandora_107_text.html": "<p>my answer</p>",
    "anon_aB3xY_908_tiny.ipynb": RIGHT_TEXT,
    "itoann_108_909_first try.ipynb": HALF_TEXT,
    "itoann_108_910_second try.ipynb": RIGHT_TEXT,
    "._müllerjana_LATE_101_950_tiny-1.ipynb": "x",
    "__MACOSX/._itoann_108_910_second try.ipynb": "x",
}


@dataclass(frozen=True)
class Collected:
    """A course after `nbgrader zip_collect`, and what the command said."""

    place: Place
    log: str

    def submitted(self) -> dict[str, str]:
        """What lies in submitted/, by path."""
        top = self.place.root / "submitted"
        return {str(path.relative_to(top)): path.read_text() for path in sorted(top.rglob("*")) if path.is_file()}

    def listed(self) -> dict[str, dict[str, Any]]:
        """The listing of all files."""
        content = json.loads((self.place.root / "downloaded" / "tiny" / "collected.json").read_text())
        return {item["file"]: item for item in content["files"]}

    def extracted(self) -> set[str]:
        """All that was unpacked."""
        top = self.place.root / "downloaded" / "tiny" / "extracted"
        return {str(path.relative_to(top)) for path in top.rglob("*") if not path.is_dir()}


def collect(root: Path, *options: str) -> Collected:
    place = Place(root) if (root / "source").exists() else make_course(root)
    return Collected(place, place.nbgrader("zip_collect", "tiny", *options))


@pytest.fixture(scope="module")
def canvas(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    """A class's download from Canvas with everything in it that goes wrong; tests only look at it."""
    root = tmp_path_factory.mktemp("course")
    make_course(root)
    (root / "roster.csv").write_text(ROSTER)
    download = zipped(CANVAS, marked=False)
    put_archive(root, "cs-tiny submissions.zip", download)
    put_archive(root, "damaged download.zip", download[: len(download) // 2])
    (root / "downloaded" / "tiny" / "archive" / "link.zip").symlink_to(root / "outside.txt")
    return collect(root, "--LmsExtractor.student_bytes=1000000")


TOP = "cs-tiny submissions.zip"


def test_canvas_the_newest_attempt_is_taken_and_everybody_elses_work_too(canvas: Collected) -> None:
    found = canvas.submitted()
    assert set(found) == {
        "jana/tiny/tiny.ipynb",
        "jana/tiny/timestamp.txt",
        "jürgen o'neil/tiny/tiny.ipynb",
        "jürgen o'neil/tiny/notes.csv",
    }
    assert found["jana/tiny/tiny.ipynb"] == RIGHT_TEXT
    assert found["jürgen o'neil/tiny/tiny.ipynb"] == RIGHT_TEXT
    taken = canvas.listed()[f"{TOP}/müllerjana_LATE_101_950_tiny-1.ipynb"]
    assert (taken["student"], taken["taken_as"], taken["late"], taken["lms"]) == ("jana", "tiny.ipynb", True, "canvas")
    assert "müllerjana_LATE_101_950_tiny-1.ipynb as tiny.ipynb of jana (canvas marks it as late)" in canvas.log
    assert "Nothing is taken of: ann, bob, carl, dora" in canvas.log
    assert "Taken is the work of 2 students; " in canvas.log
    assert "950_tiny-1.ipynb counts" in canvas.listed()[f"{TOP}/müllerjana_LATE_101_900_tiny.ipynb"]["why"]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (f"{TOP}/liwei_110_902_tiny.ipynb", "'liwei' is the name of li1 and li2, and no number tells them apart"),
        (f"{TOP}/strangerzoe_999_903_tiny.ipynb", "nobody in roster.csv is 'strangerzoe' or has the canvas number 999"),
        (f"{TOP}/stonebob_104_904_bomb.zip", "would unpack to 3000000 bytes, and 1000000 are allowed"),
        (f"{TOP}/leecarl_106_906_broken.zip", "it is damaged or no zip file"),
        (f"{TOP}/khandora_107_text.html", "dora handed in no notebook"),
        (f"{TOP}/anon_aB3xY_908_tiny.ipynb", "an anonymous student"),
        (f"{TOP}/itoann_108_910_second try.ipynb", "none of ann's 2 notebooks is called tiny.ipynb"),
        (f"{TOP}/adamseve_105_905_slip.zip/tiny.ipynb", "it is a link or no regular file"),
        ("damaged download.zip", "it is damaged or no zip file"),
        ("link.zip", "it is a link or no regular file"),
    ],
)
def test_canvas_what_is_left_is_named_with_the_reason(canvas: Collected, file: str, why: str) -> None:
    item = canvas.listed()[file]
    assert not item["taken_as"]
    assert why in item["why"]
    assert f"Left {file}: " in canvas.log


def test_canvas_nothing_leads_outside_and_nothing_is_lost(canvas: Collected) -> None:
    """What was not taken is still there: unpacked, or in its archive where it was."""
    root, found = canvas.place.root, canvas.extracted()
    assert not (root / "submitted" / "eve").exists()
    assert not Path("/tmp/slipped.ipynb").exists()
    slipped = [item for item in canvas.listed().values() if item["why"] == "its path leads out of the archive"]
    assert len(slipped) == 3
    assert not any(path.is_symlink() for path in (root / "downloaded" / "tiny" / "extracted").rglob("*"))
    kept = {name for name in CANVAS if "_" in name and not name.startswith(("._", "__MACOSX", "oneil", "adamseve"))}
    assert {f"{TOP}/{name}" for name in kept} <= found
    assert not any(part in path for path in found for part in ("__MACOSX", "._", ".DS_Store", "checkpoint"))
    with zipfile.ZipFile(root / "downloaded" / "tiny" / "archive" / TOP) as archive:
        assert len(archive.namelist()) == len(CANVAS)


def test_the_moment_that_the_roster_tells_is_recorded(canvas: Collected) -> None:
    assert canvas.submitted()["jana/tiny/timestamp.txt"] == "2026-06-15 06:30:00"
    with open(canvas.place.root / "collected.csv", newline="") as file:
        assert list(csv.DictReader(file)) == [{"student": "jana", "assignment": "tiny", "moment": "2026-06-15T06:30:00+00:00"}]


def test_a_later_download_takes_the_place_of_an_earlier_one_by_force(canvas: Collected, tmp_path: Path) -> None:
    root = shutil.copytree(canvas.place.root, tmp_path / "course", symlinks=True)
    put_archive(
        root, "cs-tiny submissions (1).zip", zipped({"müllerjana_101_1200_tiny-2.ipynb": HALF_TEXT}, TUESDAY, marked=False)
    )
    again = collect(root, "--force")
    assert again.submitted()["jana/tiny/tiny.ipynb"] == HALF_TEXT
    assert again.submitted()["jürgen o'neil/tiny/tiny.ipynb"] == RIGHT_TEXT
    assert "an earlier download of jana's work" in again.listed()[f"{TOP}/müllerjana_LATE_101_950_tiny-1.ipynb"]["why"]


def test_moodle_folders_files_and_whoever_has_a_submission_already(tmp_path: Path) -> None:
    """Folders of both forms, the form without folders, typed text, a team; a submission that is there stays without --force."""
    make_course(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER)
    download = {
        "Jana Müller_7001_assignsubmission_file/tiny.ipynb": RIGHT_TEXT,
        "Jürgen O'Neil_7002_assignsubmission_file_/deep/my tiny.ipynb": RIGHT_TEXT,
        "Bob Stone_7004_assignsubmission_file_tiny (2).ipynb": HALF_TEXT,
        "Eve Adams_7005_assignsubmission_onlinetext/onlinetext.html": "<p>text</p>",
        "Team Blue_55_assignsubmission_file/tiny.ipynb": RIGHT_TEXT,
        "Ann Ito_7008_assignsubmission_file/jana/tiny.ipynb": HALF_TEXT,
        "Carl Lee_7006_assignsubmission_file/tiny.ipynb": HALF_TEXT,
    }
    put_archive(tmp_path, "CS 1-Tiny-4711.zip", zipped(download))
    there = tmp_path / "submitted" / "carl" / "tiny" / "tiny.ipynb"
    there.parent.mkdir(parents=True)
    there.write_text(RIGHT_TEXT)
    done = collect(tmp_path)
    found = {path: text for path, text in done.submitted().items() if path.endswith(".ipynb")}
    assert found == {
        "ann/tiny/tiny.ipynb": HALF_TEXT,
        "bob/tiny/tiny.ipynb": HALF_TEXT,
        "carl/tiny/tiny.ipynb": RIGHT_TEXT,
        "jana/tiny/tiny.ipynb": RIGHT_TEXT,
        "jürgen o'neil/tiny/tiny.ipynb": RIGHT_TEXT,
    }
    assert "carl has a submission already; --force" in done.log
    assert "nobody in roster.csv is 'Team Blue' or has the moodle number 55" in done.log


def test_without_a_roster_nbgraders_own_students_are_meant_and_a_folder_may_have_a_students_name(tmp_path: Path) -> None:
    place = make_course(tmp_path)
    without_programs()
    with place.gradebook() as book:
        book.add_student("jana", first_name="Jana", last_name="Müller")
        book.add_student("b.stone@uni.example", lms_user_id="104")
        book.add_student("li", email="li@uni.example")
    put_archive(
        tmp_path, "class.zip", zipped({"all/JANA MÜLLER/tiny.ipynb": RIGHT_TEXT, "all/li@uni.example/tiny.ipynb": HALF_TEXT})
    )
    put_archive(tmp_path, "someone_104_77_tiny.ipynb", HALF_TEXT.encode())
    found = collect(tmp_path).submitted()
    assert set(found) == {"jana/tiny/tiny.ipynb", "b.stone@uni.example/tiny/tiny.ipynb", "li/tiny/tiny.ipynb"}


# Whose a file is.


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    (tmp_path / "roster.csv").write_text(ROSTER)
    return read_lms_roster(tmp_path / "roster.csv")


def decided(roster: Roster, *files: tuple[str, float]) -> dict[str, Decision]:
    found = decide([Found(path, moment) for path, moment in files], roster, "tiny.ipynb", ("notes.csv",))
    return {decision.file: decision for decision in found}


def test_a_student_cannot_speak_for_another_from_within_their_own_part(roster: Roster) -> None:
    """Below the part that the LMS named everything is the student's, whatever it is called."""
    found = decided(
        roster,
        ("a.zip/Nobody_1_assignsubmission_file/Jana Müller_7001_assignsubmission_file/tiny.ipynb", 1),
        ("a.zip/Nobody_1_assignsubmission_file/jana/tiny.ipynb", 1),
        ("a.zip/Bob Stone_7004_assignsubmission_file/Jana Müller_7001_assignsubmission_file/tiny.ipynb", 1),
        ("a.zip/somebody/jana/tiny.ipynb", 1),
        ("a.zip/somebody/müllerjana_101_9_tiny.ipynb", 1),
    )
    assert [decision.student for decision in found.values() if decision.taken_as] == ["bob"]


def test_two_people_by_one_name_are_both_left_unless_a_number_says_who_is_meant(roster: Roster) -> None:
    def folder(name: str) -> tuple[str, float]:
        return f"a.zip/{name}_assignsubmission_file/tiny.ipynb", 1

    both = decided(roster, folder("Pat Lake_1"), folder("Pat Lake_2"))
    assert not any(decision.taken_as for decision in both.values())
    assert all("several people in moodle could be pat" in decision.why for decision in both.values())
    one = decided(roster, folder("Jana Müller_7001"), folder("Jana Müller_2"))
    assert [decision.part for decision in one.values() if decision.taken_as] == ["Jana Müller_7001_assignsubmission_file"]


def test_a_name_counts_for_nobody_whose_number_is_another(roster: Roster) -> None:
    (one,) = decided(roster, ("a.zip/müllerjana_555_9_tiny.ipynb", 1)).values()
    assert not one.taken_as
    assert one.why == "'müllerjana' comes with the canvas number 555, and roster.csv has another for jana"


def test_of_two_downloads_of_moodle_the_one_of_the_later_date_counts_whatever_it_is_called(roster: Roster) -> None:
    folder = "Jana Müller_7001_assignsubmission_file/tiny.ipynb"
    found = decided(
        roster,
        (f"z.zip/{folder}", 100),
        (f"a.zip/{folder}", 200),
        ("z.zip/Jana Müller_7001_assignsubmission_file/notes.csv", 100),
    )
    assert [decision.file for decision in found.values() if decision.taken_as] == [f"a.zip/{folder}"]


@pytest.mark.parametrize(
    ("part", "name", "number", "attachment", "late", "file"),
    [
        ("müllerjana_101_900_tiny.ipynb", "müllerjana", "101", 900, False, "tiny.ipynb"),
        ("o_brien_LATE_101_900_my_2_tiny.ipynb", "o_brien", "101", 900, True, "my_2_tiny.ipynb"),
        ("khandora_LATE_107_text.html", "khandora", "107", 0, True, "text.html"),
        ("LATE_anon_x7_900_tiny.ipynb", "an anonymous student", "", 900, True, "tiny.ipynb"),
        ("Ana Maria de Souza_7_assignsubmission_file_", "Ana Maria de Souza", "7", 0, False, ""),
        ("Participant_7_assignsubmission_file_a_b.ipynb", "Participant", "7", 0, False, "a_b.ipynb"),
    ],
)
def test_names_of_both_systems(part: str, name: str, number: str, attachment: int, late: bool, file: str) -> None:
    claim = read_claim(part)
    assert claim is not None
    assert (claim.name, claim.number, claim.attachment, claim.late, claim.file) == (name, number, attachment, late, file)


@pytest.mark.parametrize("part", ["tiny.ipynb", "jana", "my_2_tiny.ipynb", "CS1-tiny-4711.zip", "notes_1.csv", ""])
def test_names_that_no_system_made(part: str) -> None:
    assert read_claim(part) is None


@pytest.mark.parametrize(
    "file", ["tiny.ipynb", "tiny-1.ipynb", "tiny (2).ipynb", "Tiny_3.IPYNB", "tiny copy.ipynb", "tiny - Kopie.ipynb"]
)
def test_names_that_say_the_same_file(file: str) -> None:
    assert is_named(file, "tiny.ipynb")
    assert not is_named(f"not {file}", "tiny.ipynb")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nJana\n", "has no column student_id"),
        ("student_id,canvas_id\na,1\nb,1\n", "gives the canvas number 1 to a and b"),
        ("student_id\n../a\n", "which no folder can be called"),
        ("student_id,submitted_at\na,2026-06-15 09:00\n", "a moment with its offset is needed"),
        ("", "is empty"),
    ],
)
def test_rosters_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "roster.csv").write_text(text)
    with pytest.raises(CourseError, match=message):
        read_lms_roster(tmp_path / "roster.csv")


def test_a_gradebook_of_canvas_and_a_worksheet_of_moodle_are_rosters(tmp_path: Path) -> None:
    (tmp_path / "canvas.csv").write_text(
        'Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"Müller, Jana",101,S1,jana,A\n'
        '"Student, Test",9,,,A\n'
    )
    assert read_lms_roster(tmp_path / "canvas.csv").match("canvas", "101", (), "").student == "jana"
    (tmp_path / "moodle.csv").write_text(
        "student_id;Identifier;Full name;Email address\njana;Participant 7001;Jana Müller;jana@uni.example\n"
    )
    found = read_lms_roster(tmp_path / "moodle.csv")
    assert found.match("moodle", "7001", (), "").student == "jana"
    assert found.match("moodle", "", ("JANA@uni.example",), "").student == "jana"


# Archives that mean harm.


def unpacked(tmp_path: Path, content: bytes, bounds: Bounds | None = None) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files that come out of an archive, and what was noted."""
    source, root = tmp_path / "a.zip", tmp_path / "out"
    source.write_bytes(content)
    unpacking = Unpacking(root, bounds or Bounds())
    unpacking.take_in(source, Path("a.zip"))
    files = {str(path.relative_to(root / "a.zip")): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return files, dict(unpacking.notes)


def nested(depth: int) -> bytes:
    content = b"the core"
    for level in range(depth):
        content = zipped({f"{level}.zip" if level else "core.txt": content})
    return content


def test_archives_in_archives_are_unpacked_three_deep_and_no_deeper(tmp_path: Path) -> None:
    (tmp_path / "3").mkdir()
    assert unpacked(tmp_path / "3", nested(3))[0] == {"2.zip/1.zip/core.txt": b"the core"}
    (tmp_path / "4").mkdir()
    files, notes = unpacked(tmp_path / "4", nested(4))
    assert list(files) == ["3.zip/2.zip/1.zip"]
    assert "3 deep" in notes["a.zip/3.zip/2.zip/1.zip"]


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        (Bounds(class_bytes=1000), "would unpack to"),
        (Bounds(class_files=2), "it holds 3 files, and 2 are allowed"),
    ],
)
def test_a_class_archive_beyond_its_bounds_writes_nothing(tmp_path: Path, bounds: Bounds, why: str) -> None:
    files, notes = unpacked(tmp_path, zipped(dict.fromkeys("abc", b"0" * 1000)), bounds)
    assert files == {}
    assert why in notes["a.zip"]


def test_what_a_student_packed_is_bounded_with_all_that_is_in_it(tmp_path: Path) -> None:
    """Neither one archive nor many in one pass the bound, and others are unpacked."""
    many = zipped({f"{n}.zip": zipped({"zeros": b"0" * 40_000}) for n in range(4)})
    files, notes = unpacked(tmp_path, zipped({"many.zip": many, "small.zip": zipped({"a": b"a"})}), Bounds(student_bytes=100_000))
    assert files["small.zip/a"] == b"a"
    assert sum(len(content) for name, content in files.items() if name.startswith("many.zip")) < 100_000
    assert sum("it was not unpacked" in why for why in notes.values()) == 2


def test_a_class_download_that_was_unpacked_already_is_taken_as_it_lies(tmp_path: Path) -> None:
    """As macOS leaves it: then students' archives lie on their own, and are bounded as such."""
    unpacking = Unpacking(tmp_path / "out", Bounds(student_bytes=1000))
    (tmp_path / "khandora_107_9_a.zip").write_bytes(zipped({"tiny.ipynb": b"0" * 2000}))
    (tmp_path / "itoann_108_9_tiny.ipynb").write_bytes(b"{}")
    for name in ("khandora_107_9_a.zip", "itoann_108_9_tiny.ipynb"):
        unpacking.take_in(tmp_path / name, Path("download", name))
        unpacking.take_in(tmp_path / name, Path(name))
    assert {file for file, why in unpacking.notes if "1000 are allowed" in why} == {
        "download/khandora_107_9_a.zip",
        "khandora_107_9_a.zip",
    }
    assert (tmp_path / "out" / "download" / "itoann_108_9_tiny.ipynb").read_bytes() == b"{}"


def test_an_archive_that_lies_about_its_sizes_gives_no_more_than_it_says(tmp_path: Path) -> None:
    content = bytearray(zipped({"a": b"0" * 1_000_000}))
    truth, lie = (1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")
    assert content.count(truth) >= 1
    files, notes = unpacked(tmp_path, bytes(content.replace(truth, lie)))
    assert files == {}
    assert "damaged" in notes["a.zip/a"]


def test_one_damaged_and_one_locked_file_cost_the_others_nothing(tmp_path: Path) -> None:
    content = bytearray(zipped({"damaged": b"x" * 5000, "locked": b"secret", "good": b"good"}))
    at = content.index(b"damaged") + len("damaged")
    content[at : at + 4] = b"\xff\xff\xff\xff"
    for found in (content.index(b"locked") - 30 + 6, content.rindex(b"locked") - 46 + 8):
        content[found] |= 1
    files, notes = unpacked(tmp_path, bytes(content))
    assert files == {"good": b"good"}
    assert "damaged" in notes["a.zip/damaged"]
    assert "password" in notes["a.zip/locked"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_no_damage_ends_the_run_or_writes_outside(tmp_path: Path) -> None:
    """200 archives with bytes changed, cut out and put in, half of it where zip files keep their list."""
    whole, random = zipped({"a_1_2_x.zip": SLIP, "ü.txt": b"hello" * 50, "p.zip": PACKED}, marked=False), Random(20)
    for number in range(200):
        content = bytearray(whole)
        for _ in range(random.choice([1, 2, 5, 30])):
            at = random.randrange(len(content)) if random.random() < 0.5 else len(content) - 1 - random.randrange(400)
            content[at : at + random.choice([0, 1, 1, 20])] = random.randbytes(random.choice([0, 1, 1, 10]))
        place = tmp_path / str(number)
        place.mkdir()
        unpacked(place, bytes(content))
        assert {path.name for path in place.iterdir()} <= {"a.zip", "out"}
        assert not any(path.is_symlink() for path in place.rglob("*"))
    assert {path.name for path in tmp_path.iterdir()} == set(map(str, range(200)))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_odd_names_are_kept_apart_and_nothing_is_written_over(tmp_path: Path) -> None:
    first = io.BytesIO()
    with zipfile.ZipFile(first, "w") as archive:
        for name, text in (
            ("a.txt", "1"),
            ("a.txt", "2"),
            ("b", "3"),
            ("b/c", "4"),
            ("x" * 300, "5"),
            ("d\\e.txt", "6"),
            ("u\u0308.txt", "7"),
        ):
            archive.writestr(name, text)
    files, notes = unpacked(tmp_path, first.getvalue())
    assert files == {"a.txt": b"1", "a (2).txt": b"2", "b": b"3", "d/e.txt": b"6", "ü.txt": b"7"}
    assert len(notes) == 2
    assert all("its name cannot be used here" in why for why in notes.values())


# Feedback, back to where the work came from.


def nbgrader(course: SmallCourse, *arguments: str) -> str:
    command = [Path(sys.executable).parent / "nbgrader", *arguments]
    done = subprocess.run(command, cwd=course.root, env=course.environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def returned(tmp_path_factory: pytest.TempPathFactory, needs_sandbox: None) -> tuple[SmallCourse, str, str]:
    """Work from Canvas, from Moodle and by the exchange, scored, its feedback made, released and packed."""
    course = make_small_course(tmp_path_factory.mktemp("course"))
    (course.root / "roster.csv").write_text(ROSTER)
    put_archive(course.root, "canvas.zip", zipped({"müllerjana_101_900_tiny.ipynb": RIGHT_TEXT}, marked=False))
    put_archive(course.root, "more.zip", zipped({"itoann_108_901_all.zip": PACKED}))
    moodle = {
        "Bob Stone_7004_assignsubmission_file_/tiny.ipynb": HALF_TEXT,
        "Eve Adams_7005_assignsubmission_file_tiny.ipynb": RIGHT_TEXT,
    }
    put_archive(course.root, "moodle.zip", zipped(moodle))
    nbgrader(course, "zip_collect", "tiny")
    by_exchange = course.root / "submitted" / "carl" / "tiny"
    by_exchange.mkdir(parents=True)
    (by_exchange / "tiny.ipynb").write_text(RIGHT_TEXT)
    (by_exchange / "submission_secret.txt").write_text("5" * 128)
    (by_exchange / "timestamp.txt").write_text("2025-01-02 03:04:05.000006 UTC")
    course.run("score", "tiny", "--workers", "0")
    nbgrader(course, "generate_feedback", "tiny")
    exchange = course.root / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    log = nbgrader(course, "release_feedback", "tiny", f"--Exchange.root={exchange}")
    return course, log, course.run("return", "tiny", "--out", "feedback.zip")


def test_release_feedback_releases_what_can_be_fetched_and_says_what_cannot(returned: tuple[SmallCourse, str, str]) -> None:
    course, log, _ = returned
    pages = list((course.root / "exchange").rglob("*.html"))
    assert len(pages) == 1
    assert pages[0].read_text() == (course.root / "feedback" / "carl" / "tiny" / "tiny.html").read_text()
    assert "ann, bob, eve, jana" in log
    assert "./course return tiny" in log


def test_feedback_goes_back_under_the_names_that_the_systems_know(returned: tuple[SmallCourse, str, str]) -> None:
    """Moodle gets pages in its own folders, Canvas notebooks under its own file names: it shows a file as what was handed in."""
    course, _, said = returned
    assert "4 of 4 students' feedback is in feedback.zip" in said
    with zipfile.ZipFile(course.root / "feedback.zip") as archive:
        with zipfile.ZipFile(archive.open("itoann_108_901_all.zip")) as inner:  # a zip was handed in, and one comes back
            assert inner.namelist() == ["tiny.ipynb"]
        files = {name: archive.read(name).decode() for name in archive.namelist() if not name.endswith(".zip")}
    bob, eve = "Bob Stone_7004_assignsubmission_file_/tiny.html", "Eve Adams_7005_assignsubmission_file_tiny.html"
    assert set(files) == {bob, eve, "müllerjana_101_900_tiny.ipynb"}
    assert files[bob] == (course.root / "feedback" / "bob" / "tiny" / "tiny.html").read_text()
    notebook = nbformat.reads(files["müllerjana_101_900_tiny.ipynb"], as_version=4)
    nbformat.validate(notebook)
    text = "\n".join(cell.source for cell in notebook.cells)
    assert "Score: **at least 5 / 7**" in text
    assert "**Score: 3 / 3**" in text
    assert "not graded yet" in text
    assert "HIDDEN" not in files["müllerjana_101_900_tiny.ipynb"]


def test_return_says_what_is_missing(returned: tuple[SmallCourse, str, str], tmp_path: Path) -> None:
    root = shutil.copytree(returned[0].root, tmp_path / "course", symlinks=True)
    shutil.rmtree(root / "feedback" / "bob")
    os.utime(root / "autograded" / "eve" / "tiny" / "verdicts.json")  # as if scored once more, after her page was made
    decisions = [*read_listing(root / "downloaded" / "tiny"), Decision("x", "taken", "carl", "tiny.ipynb", "folder", "carl")]
    found = {one.student: one for one in returns(Course(root, root), "tiny", decisions, f"sqlite:///{root}/gradebook.db")}
    assert "there is no feedback page" in found["bob"].why
    assert "the page is feedback/carl/tiny/tiny.html" in found["carl"].why
    assert "older than the last scoring" in found["eve"].why
    assert "generate_feedback tiny --force" in found["eve"].why
    assert not found["jana"].why
    nothing = CliRunner().invoke(app, ["return", "m1_attention", "--root", str(tmp_path), "--out", str(tmp_path / "a.zip")])
    assert nothing.exit_code == 2
    assert "nbgrader zip_collect m1_attention does" in nothing.stderr
    assert not (tmp_path / "a.zip").exists()
