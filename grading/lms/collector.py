"""nbgrader's zip_collect for the downloads of Canvas and Moodle. Both plug-ins are named in nbgrader_config.py.

`nbgrader zip_collect` unpacks what lies in downloaded/<assignment>/archive/ into downloaded/<assignment>/extracted/, asks the
collector about one file after the other, and copies what it is told to submitted/. Stock plug-ins end the run at the first
damaged archive, at the second file of a student and at the first student who has been collected before; ours name the file,
leave it, and go on.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from traitlets import Int, Unicode

from grading.checks import NoSuchAssignment, load_assignment
from grading.course import Course, CourseError
from grading.lms.archives import Bounds, Unpacking
from grading.lms.attempts import Decision, Found, decide
from grading.lms.listing import LISTING, read_listing, write_listing
from grading.lms.roster import ROSTER, Roster, known_people, read_lms_roster
from grading.times import record_collected


class LmsExtractor(ExtractorPlugin):
    """Unpacks downloads, and what students packed in them. Made by `nbgrader zip_collect`."""

    class_bytes = Int(Bounds.class_bytes, help="How many bytes a class's archive may unpack to.").tag(config=True)
    student_bytes = Int(Bounds.student_bytes, help="How many bytes an archive that a student packed may unpack to.").tag(
        config=True
    )

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpack every file of a folder into another."""
        bounds = Bounds(class_bytes=self.class_bytes, student_bytes=self.student_bytes)
        unpacking = Unpacking(Path(extracted_path), bounds)
        archive = Path(archive_path)
        try:
            for path in sorted(walk(archive)):
                self.log.info("Unpacking %s", path)
                unpacking.take_in(path, path.relative_to(archive))
            write_listing(archive.parent, [Decision(file, why) for file, why in unpacking.notes])
            for file, why in unpacking.notes:
                self.log.warning("Left %s: %s", file, why)
        except OSError as error:
            self.parent.fail(f"{error.filename or extracted_path} cannot be written: {error.strerror}")


def walk(folder: Path) -> Iterator[Path]:
    """Everything below a folder that is no folder; links are not followed."""
    for top, folders, files in os.walk(folder):
        yield from (Path(top, name) for name in files)
        yield from (Path(top, name) for name in folders if Path(top, name).is_symlink())


class LmsCollector(FileNameCollectorPlugin):
    """Says whose each unpacked file is, and what it is called in the submission. Made by `nbgrader zip_collect`."""

    roster = Unicode(ROSTER, help="The table that says which student an LMS means; nbgrader's own students without one.").tag(
        config=True
    )
    _answers: dict[str, dict[str, Any]] | None = None

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """The student, the name and, where the LMS's own is known, the moment of a file; None for one that is left."""
        if self._answers is None:
            try:
                self._answers = self._decide()
            except (CourseError, OSError) as error:
                self.parent.fail(str(error))
        return (self._answers or {}).get(os.path.abspath(submitted_file))

    def _decide(self) -> dict[str, dict[str, Any]]:
        """Look at all files together, for what counts is the newest attempt. Raises CourseError."""
        extracted = Path(self.parent._format_collect_path(self.parent.extracted_directory))
        name, roster = self.parent.coursedir.assignment_id, self._roster()
        files = [Found(path.relative_to(extracted).as_posix(), path.stat().st_mtime) for path in walk(extracted)]
        decisions = decide(files, roster, f"{name}.ipynb", handed_in(name), self._present())
        noted = {decision.file: decision.why for decision in read_listing(extracted.parent)}
        decisions = [one if one.taken_as else replace(one, why=noted.get(one.file, one.why)) for one in decisions]
        here = {decision.file for decision in decisions}
        packed = [Decision(file, why) for file, why in noted.items() if file not in here]
        write_listing(extracted.parent, [*packed, *decisions])
        self._tell([*packed, *decisions], noted)
        return self._answered(extracted, decisions, roster)

    def _answered(self, extracted: Path, decisions: list[Decision], roster: Roster) -> dict[str, dict[str, Any]]:
        moments, answers = roster.moments(), {}
        for taken in (decision for decision in decisions if decision.taken_as):
            answer: dict[str, Any] = {"student_id": taken.student, "file_id": taken.taken_as}
            if moment := moments.get(taken.student):
                answer["timestamp"] = moment.replace(tzinfo=None)  # nbgrader keeps UTC without saying so
                record_collected(self._course(), taken.student, self.parent.coursedir.assignment_id, moment)
            answers[os.path.abspath(extracted / taken.file)] = answer
        return answers

    def _tell(self, decisions: list[Decision], told: Collection[str]) -> None:
        """Say what is left, save for what the extractor has told, what is taken, and of whom there is nothing."""
        left = [decision for decision in decisions if not decision.taken_as]
        taken = [decision for decision in decisions if decision.taken_as]
        for decision in left:
            if decision.file not in told:
                self.log.warning("Left %s: %s", decision.file, decision.why)
        for decision in taken:
            marked = f" ({decision.lms} marks it as late)" if decision.late else ""
            self.log.info("Taking %s as %s of %s%s", decision.file, decision.taken_as, decision.student, marked)
        with_work = {decision.student for decision in taken}
        if without := {decision.student for decision in left if decision.student} - with_work:
            self.log.warning("Nothing is taken of: %s", ", ".join(sorted(without)))
        self.log.warning("Taken is the work of %s students; %s files are left. %s lists all", len(with_work), len(left), LISTING)

    def _course(self) -> Course:
        root = Path(self.parent.coursedir.root)
        return Course(root, root)

    def _roster(self) -> Roster:
        """The roster, or nbgrader's students. Raises CourseError."""
        directory = self.parent.coursedir
        path = Path(directory.root, self.roster)
        if path.is_file():
            return read_lms_roster(path)
        if self.roster != ROSTER:
            raise CourseError(f"there is no roster {path}")
        with Gradebook(directory.db_url, directory.course_id) as gradebook:
            fields = ("id", "first_name", "last_name", "email", "lms_user_id")
            return known_people({name: getattr(student, name) for name in fields} for student in gradebook.students)

    def _present(self) -> set[str]:
        """Students whose submission stays: stock zip_collect would end the run at the first of them."""
        directory = self.parent.coursedir
        if self.parent.force:
            return set()
        pattern = directory.format_path(directory.submitted_directory, "*", directory.assignment_id)
        return {
            path.parent.name
            for path in Path(directory.root).glob(os.path.relpath(pattern, directory.root))
            if not path.is_dir() or any(path.iterdir())
        }


def handed_in(assignment: str) -> tuple[str, ...]:
    """The files that an assignment asks for beside its notebook."""
    try:
        return load_assignment(assignment).handed_in
    except NoSuchAssignment:
        return ()
