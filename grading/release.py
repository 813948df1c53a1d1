"""nbgrader's release_feedback, which also takes submissions that did not come through the exchange."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from grading.course import Course, CourseError
from grading.export import exchange_secret
from grading.files import replace_file
from grading.times import feedback_refusal


class CourseReleaseFeedback(ExchangeReleaseFeedback):
    """Named in nbgrader_config.py; `nbgrader release_feedback` and the formgrader call it.

    A page goes into the exchange under a name that only the submission's secret tells: whoever submitted through the exchange
    has it. Where a submission has none (it came from an LMS, or was put there by hand) stock nbgrader ends the run, and no one
    after it gets anything. Here it is told that the page cannot be fetched, and the others are released.
    """

    def copy_files(self) -> None:
        """Release every page that somebody can fetch."""
        root, assignment = Path(self.coursedir.root), self.coursedir.assignment_id
        try:
            refusal = feedback_refusal(Course(root, root), assignment, datetime.now(UTC))
        except CourseError as error:
            refusal = str(error)
        if refusal:
            self.fail(refusal)
        excluded = set(filter(None, self.coursedir.student_id_exclude.split(",")))
        pattern = self.coursedir.format_path(self.coursedir.feedback_directory, self.coursedir.student_id or "*", assignment)
        kept = [
            folder.parent.name
            for folder in sorted(root.glob(os.path.relpath(pattern, root)))
            if folder.parent.name not in excluded and not self._release(folder)
        ]
        if kept:
            told = "they did not come through the exchange, and no one could fetch their pages from it"
            self.log.warning("Not released, for %s: %s", told, ", ".join(kept))
            self.log.warning("To an LMS they go back with: ./course return %s --out feedback.zip", assignment)

    def _release(self, folder: Path) -> bool:
        """Release a student's pages; whether there was anything that kept them from it."""
        secret = exchange_secret(folder)
        for page in sorted(folder.glob("*.html")) if secret else []:
            name = notebook_hash(secret=secret, notebook_id=page.stem)
            replace_file(Path(self.dest_path, f"{name}.html"), page.read_bytes())
            self.log.info("Released %s of %s", page.name, folder.parent.name)
        return secret is not None or not any(folder.glob("*.html"))
