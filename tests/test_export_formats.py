"""Grades in the columns that Canvas and Moodle import: every number where it belongs, and a blank that is told where there is
none."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner, Result

import grading.ways_cli  # noqa: F401  # adds the command
from grading.cli import app
from grading.course import CourseError
from grading.grades import Grades
from grading.lms.attempts import Decision
from grading.lms.gradebooks import assignment_columns
from grading.lms.listing import write_listing
from grading.lms.tables import Table, guarded
from tests.small_course import SmallCourse, make_small_course
from tests.tiny_course import HALF, RIGHT

# As Canvas exports it: titles with numbers, rows before the students, its test student, columns that it computes.
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Tiny homework (4711),Essay (4712),Current Score,Final Score
,,,,,Manual Posting,,,
    Points Possible,,,,,7.00,10.00,(read only),(read only)
"Müller, Jana",101,S101,jana,"Group A, Monday",,9.00,90.0,90.0
"Stone, Bob",102,S102,bob,Group B,,,,
"Lee, Carl",103,S103,carl,Group B,3.00,,,
"Khan, Dora",104,S104,dora,Group B,,,,
"Adams, Eve",105,S105,eve,Group B,EX,,,
"=cmd()",106,S106,fred,Group B,,,,
"Stranger, Zoe",109,S109,zoe,Group B,6.50,,,
"Student, Test",110,,fb12,Group B,,,,
"""
# As an assignment of Moodle's exports it for grading offline.
WORKSHEET = """Identifier,Full name,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 7001,Jana Müller,jana@uni.example,Submitted for grading,,7.00,-,
Participant 7002,Bob Stone,bob@uni.example,Submitted for grading,,7.00,-,- see me
Participant 7004,+Dora Khan,dora@uni.example,No submission,,7.00,-,
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, needs_sandbox: None) -> SmallCourse:
    """A scored course: jana, eve and fred are graded to the end, eve late; bob waits for a person; carl's file is no notebook;
    dora handed in nothing, gus something that has not been scored."""
    made = make_small_course(tmp_path_factory.mktemp("course"))
    for student, work in (("jana", RIGHT), ("bob", HALF), ("carl", "no notebook"), ("eve", RIGHT), ("fred", HALF)):
        made.hand_in(student, work)  # type: ignore[arg-type]  # answers, or a file's whole text
    made.run("score", "tiny", "--workers", "0")
    with Gradebook(f"sqlite:///{made.root}/gradebook.db", "attention") as book:
        for student, points in (("jana", 2.0), ("eve", 1.25), ("fred", 0.0)):
            grade = book.find_grade("essay", "tiny", "tiny", student)
            grade.manual_score, grade.needs_manual_grade = points, False
        book.find_submission("tiny", "eve").notebooks[0].late_submission_penalty = 1.5
        book.update_or_create_student("jana", first_name="Jana", last_name="Müller", email="jana@uni.example")
        book.update_or_create_student("fred", first_name='=HYPERLINK("http://x")', last_name="@SUM(1)", email="fred@uni.example")
        for student in ("dora", "gus"):
            book.add_student(student, email=f"{student}@uni.example")
        book.db.commit()
    made.hand_in("gus", RIGHT)
    return made


def export(course: SmallCourse, *arguments: object) -> Result:
    return CliRunner().invoke(app, ["export", "--root", str(course.root), *map(str, arguments)], catch_exceptions=False)


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def exported(course: SmallCourse, *arguments: object) -> tuple[list[list[str]], str]:
    result = export(course, *arguments)
    assert result.exit_code == 0, result.stderr
    return table(result.stdout), result.stderr


@pytest.fixture
def canvas(tmp_path: Path) -> Path:
    path = tmp_path / "gradebook.csv"
    path.write_text(CANVAS)
    return path


def column(rows: Sequence[Sequence[str]], name: str, key: str) -> dict[str, str]:
    header = list(rows[0])
    return {row[header.index(key)]: row[header.index(name)] for row in rows[1:]}


def test_canvas_gets_its_own_rows_and_columns_with_our_points(course: SmallCourse, canvas: Path) -> None:
    rows, told = exported(course, "--format", "canvas", "--template", canvas)
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Tiny homework (4711)"]
    assert rows[1] == ["", "", "", "", "", "Manual Posting"]
    assert rows[2] == ["    Points Possible", "", "", "", "", "7.00"]
    assert rows[3] == ["Müller, Jana", "101", "S101", "jana", "Group A, Monday", "7"]
    assert column(rows[:1] + rows[3:], "Tiny homework (4711)", "SIS Login ID") == {
        "jana": "7",
        "bob": "",  # waits for a person
        "carl": "",  # ungraded: what Canvas had is taken out
        "dora": "",  # not handed in
        "eve": "EX",  # excused in Canvas
        "fred": "2",
        "zoe": "6.50",  # nobody of ours: as it was
        "fb12": "",
    }
    assert "eve, tiny: the table says EX, which stays; here are 4.75 points" in told
    assert "carl, tiny: the table has 3.00, which is taken out" in told
    assert "nobody in nbgrader's gradebook is 'Stranger, Zoe'" in told


def test_what_is_blank_is_told_with_its_reason(course: SmallCourse, canvas: Path) -> None:
    _, told = exported(course, "--format", "canvas", "--template", canvas)
    blank = {line.split(", ")[0].removeprefix("blank: "): line for line in told.splitlines() if line.startswith("blank: ")}
    assert set(blank) == {"bob", "carl", "dora", "gus"}
    assert "waits for a person" in blank["bob"]
    assert "ungraded: " in blank["carl"]
    assert blank["dora"].endswith("not handed in")
    assert "not scored yet" in blank["gus"]


def test_not_handed_in_is_zero_where_that_is_asked_for_and_undecided_is_not(course: SmallCourse, canvas: Path) -> None:
    rows, told = exported(course, "--format", "canvas", "--template", canvas, "--absent-as-zero")
    points = column(rows, "Tiny homework (4711)", "SIS Login ID")
    assert (points["dora"], points["bob"], points["carl"]) == ("0", "", "")
    assert "dora" not in told


def test_work_that_was_not_taken_from_a_download_is_no_zero(course: SmallCourse) -> None:
    folder = course.root / "downloaded" / "tiny"
    nobody = Decision("a.zip/x_1_2_tiny.ipynb", "nobody in roster.csv is 'x'", lms="canvas", part="x_1_2_tiny.ipynb")
    left = Decision("a.zip/dorakhan_104_9_a.ipynb", "none of dora's 2 notebooks is called tiny.ipynb", "dora", lms="canvas")
    try:
        write_listing(folder, [nobody, left])
        rows, told = exported(course, "--absent-as-zero")
        assert (column(rows, "score", "student_id")["dora"], column(rows, "status", "student_id")["dora"]) == ("", "ungraded")
        assert "blank: dora, tiny: handed in, but none of it was taken: " in told
        assert "note: tiny: a file came under the name of nobody who is known" in told
        write_listing(folder, [left, Decision("b.zip/dorakhan_104_10_tiny.ipynb", "taken", "dora", "tiny.ipynb", "canvas")])
        assert column(exported(course, "--absent-as-zero")[0], "score", "student_id")["dora"] == "0"  # and put away since
    finally:
        shutil.rmtree(course.root / "downloaded")


def test_a_column_can_be_named_by_title_or_number_and_must_be_one(course: SmallCourse, canvas: Path) -> None:
    for name in ("Essay (4712)", "4712"):
        rows, told = exported(course, "--format", "canvas", "--template", canvas, "--column", f"tiny={name}")
        assert rows[0][-1] == "Essay (4712)"
        assert rows[3][-1] == "7"
        assert "Essay (4712) has 10.00 points possible, and tiny 7" in told
    canvas.write_text(CANVAS.replace("Essay (4712)", "Tiny essay (4712)"))
    result = export(course, "--format", "canvas", "--template", canvas)
    assert result.exit_code == 2
    assert "2 columns of the table could be tiny" in result.stderr
    assert "'Tiny essay (4712)'" in result.stderr


def test_a_column_for_nothing_and_one_for_two_assignments_are_refused(course: SmallCourse, canvas: Path) -> None:
    """A misspelt name would be looked over, and of two assignments in one column the first would be lost."""
    result = export(course, "--format", "canvas", "--template", canvas, "--column", "tny=Essay (4712)")
    assert (result.exit_code, result.stderr) == (2, "course: --column names 'tny'; exported are: tiny\n")
    two = Grades((), ("tiny", "tiny_two"), {})
    with pytest.raises(CourseError, match=r"tiny and tiny_two would both go into the column 'tiny_two \(4713\)'"):
        assignment_columns(Table(("ID", "tiny_two (4713)"), ()), two, {}, (), {0})


def test_a_roster_says_who_is_who_and_names_alone_must_be_unique(course: SmallCourse, canvas: Path, tmp_path: Path) -> None:
    canvas.write_text(CANVAS.replace(",jana,", ",jm1234,").replace(",bob,", ",bs1,"))
    (tmp_path / "people.csv").write_text("student_id,canvas_id\njana,101\nfred,106\n")
    rows, told = exported(course, "--format", "canvas", "--template", canvas, "--roster", tmp_path / "people.csv")
    points = column(rows, "Tiny homework (4711)", "SIS Login ID")
    assert (points["jm1234"], points["fred"], points["bs1"]) == ("7", "2", "")
    assert "eve has 4.75 points in tiny and no row in the table" in told


def test_a_semicolon_table_with_two_name_columns_stays_one(course: SmallCourse, tmp_path: Path) -> None:
    path = tmp_path / "gradebook.csv"
    path.write_text(
        "\ufeffLastName;FirstName;ID;SIS Login ID;Section;tiny (1)\n    Points Possible;;;;;7,00\nMüller;Jana;1;jana;A;\n"
    )
    text = export(course, "--format", "canvas", "--template", path).stdout
    assert text.splitlines() == [
        "LastName;FirstName;ID;SIS Login ID;Section;tiny (1)",
        "    Points Possible;;;;;7,00",
        "Müller;Jana;1;jana;A;7",
    ]


def test_no_cell_is_a_formula(course: SmallCourse, canvas: Path) -> None:
    """A spreadsheet that opens the file runs nothing that a student called themselves."""
    for arguments in (("--format", "canvas", "--template", canvas), ("--format", "moodle"), ("--format", "csv")):
        rows, _ = exported(course, *arguments)
        assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for row in rows for cell in row), arguments
    rows, _ = exported(course, "--format", "csv")
    assert column(rows, "first_name", "student_id")["fred"] == """'=HYPERLINK("http://x")"""


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1"])
def test_what_begins_a_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert guarded(f"a{text}") == f"a{text}"
    assert guarded("-") == "-"  # Moodle's word for nothing


def test_moodle_without_a_template_has_columns_to_map(course: SmallCourse) -> None:
    rows, _ = exported(course, "--format", "moodle")
    assert rows[0] == ["Username", "Email address", "First name", "Last name", "tiny"]
    assert column(rows, "tiny", "Username") == {
        "jana": "7",
        "bob": "",
        "carl": "",
        "dora": "",
        "eve": "4.75",
        "fred": "2",
        "gus": "",
    }
    assert column(rows, "Email address", "Username")["jana"] == "jana@uni.example"


def test_moodles_grading_worksheet_comes_back_whole_with_its_grades(course: SmallCourse, tmp_path: Path) -> None:
    path, out = tmp_path / "Grades.csv", tmp_path / "filled.csv"
    path.write_text(WORKSHEET)
    roster = tmp_path / "people.csv"
    roster.write_text("student_id,moodle_id\njana,7001\nbob,7002\ndora,7004\n")
    result = export(course, "--format", "moodle", "--template", path, "--roster", roster, "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    before, after = table(WORKSHEET), table(out.read_text())
    assert after[0] == before[0]
    assert column(after, "Grade", "Identifier") == {"Participant 7001": "7", "Participant 7002": "", "Participant 7004": ""}
    assert column(after, "Feedback comments", "Identifier") == column(before, "Feedback comments", "Identifier")
    assert column(after, "Full name", "Identifier")["Participant 7004"] == "'+Dora Khan"
    assert column(after, "Last modified (grade)", "Identifier") == column(before, "Last modified (grade)", "Identifier")
    assert "points possible" not in result.stderr


def test_a_worksheet_that_counts_out_of_another_number_is_told(course: SmallCourse, tmp_path: Path) -> None:
    """Moodle's own default is 100: seven of seven points would be seven in a hundred."""
    path = tmp_path / "Grades.csv"
    path.write_text(WORKSHEET.replace("7.00", '"100,00"'))
    rows, told = exported(course, "--format", "moodle", "--template", path)
    assert column(rows, "Grade", "Identifier")["Participant 7001"] == "7"
    assert told.count("the worksheet has 100,00 points possible, and tiny 7: points are written as they are") == 1


def test_a_place_that_cannot_be_written_is_named_as_it_was_given(course: SmallCourse, tmp_path: Path) -> None:
    result = export(course, "--out", tmp_path)
    assert (result.exit_code, result.stderr) == (2, f"course: {tmp_path} cannot be used: Is a directory\n")


def test_moodles_exported_grades_are_cut_to_who_and_what(course: SmallCourse, tmp_path: Path) -> None:
    """A dash is Moodle's own blank; who is named by something that a spreadsheet would run is left out and told."""
    path = tmp_path / "grades.csv"
    path.write_text(
        "First name,Last name,ID number,Email address,Assignment: tiny (Real),Course total (Real)\n"
        "Jana,Müller,,jana@uni.example,-,-\nDora,Khan,,dora@uni.example,-,-\nFred,F,=1,fred@uni.example,-,-\n"
    )
    rows, told = exported(course, "--format", "moodle", "--template", path)
    assert rows == [
        ["First name", "Last name", "ID number", "Email address", "Assignment: tiny (Real)"],
        ["Jana", "Müller", "", "jana@uni.example", "7"],
        ["Dora", "Khan", "", "dora@uni.example", ""],
    ]
    assert "fred: left out" in told


def test_the_plain_table_says_how_far_everything_is(course: SmallCourse) -> None:
    """As a command of its own, for an assignment that is named."""
    said = course.run("export", "tiny", "--out", "grades.csv")
    assert "blank: bob, tiny" in said
    rows = table((course.root / "grades.csv").read_text())
    assert rows[0] == ["student_id", "last_name", "first_name", "email", "assignment", "score", "max_score", "status"]
    found = {row[0]: row[5:] for row in rows[1:]}
    assert found["eve"] == ["4.75", "7", "graded"]
    assert found["bob"] == ["", "7", "waits for a person"]
    assert found["carl"] == ["", "7", "ungraded"]
    assert found["dora"] == ["", "7", "not handed in"]


def test_a_later_attempt_that_has_not_been_scored_is_told(course: SmallCourse) -> None:
    path = course.root / "submitted" / "fred" / "tiny" / "tiny.ipynb"
    before = path.read_bytes()
    try:
        course.hand_in("fred", RIGHT)
        said = course.run("export", "tiny", "--out", "later.csv")
        assert "note: fred, tiny: what was handed in, or when, has changed since it was scored: run ./course score tiny" in said
    finally:
        path.write_bytes(before)
    assert "has changed since" not in course.run("export", "tiny", "--out", "later.csv")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--format", "canvas"], "name it with --template"),
        (["--format", "canvas", "--template", "{text}"], "no gradebook of Canvas"),
        (["--format", "moodle", "--template", "{text}"], "no table of Moodle's"),
        (["--format", "canvas", "--template", "nowhere.csv"], "nowhere.csv cannot be read"),
        (["--format", "canvas", "--template", "{other}"], "no column of the table has the name of an assignment"),
        (["--format", "canvas", "--template", "{text}", "--column", "tiny"], "--column takes ASSIGNMENT=TITLE"),
        (["m9_nothing"], "there is no assignment 'm9_nothing'"),
        (["m1_attention"], "nothing of m1_attention has been scored yet"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_sentence(
    course: SmallCourse, tmp_path: Path, arguments: list[str], told: str
) -> None:
    (tmp_path / "text.csv").write_text("a,b\n1,2\n")
    (tmp_path / "other.csv").write_text("Student,ID,Section,Essay (1)\nJana,1,A,\n")
    names = {"text": tmp_path / "text.csv", "other": tmp_path / "other.csv"}
    result = export(course, *(argument.format(**names) for argument in arguments))
    assert result.exit_code == 2
    assert told in result.stderr


def test_without_a_gradebook_nothing_is_made(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["export", "--root", str(tmp_path)])
    assert result.exit_code == 2
    assert "./course score makes one" in result.stderr
    assert not any(tmp_path.iterdir())
