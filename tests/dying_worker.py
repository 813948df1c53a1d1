"""A worker's plug-in that ends its process over some students, as an out-of-memory killer would. For tests."""

from __future__ import annotations

import os
import signal

from grading.cluster import ScoringWorker
from grading.crew import Batch
from grading.results import Finished

DEADLY = "deadly"
DEADLY_ONCE = "deadly-once"


class DyingWorker(ScoringWorker):
    """Ends over the student DEADLY, and over DEADLY_ONCE as long as that one is not alone in its batch."""

    def score(self, batch: Batch) -> list[Finished]:
        """Score, or end."""
        students = {task.submission.student for task in batch.tasks}
        if DEADLY in students or (DEADLY_ONCE in students and len(students) > 1):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().score(batch)
