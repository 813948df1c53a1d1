"""nbgrader's collect, which also writes down when each submission arrived, by the clock of the exchange's own file system."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect

from grading.course import Course
from grading.times import record_collected


class CourseCollect(ExchangeCollect):
    """Named in nbgrader_config.py; `nbgrader collect` and the formgrader call it."""

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        """Copy one submission out of the exchange, and record it."""
        super().do_copy(src, dest)
        root = Path(self.coursedir.root)
        student = Path(dest).parent.name
        record_collected(Course(root, root), student, self.coursedir.assignment_id, arrived(Path(src)))


def arrived(folder: Path) -> datetime:
    """When a folder of the exchange last changed: its files' change times, which nobody can set, as they can the others."""
    changed = max(path.lstat().st_ctime for path in (folder, *folder.rglob("*")))
    return datetime.fromtimestamp(changed, UTC)
