"""One scoring run at a time on a root."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from grading.course import Course, CourseError


@contextmanager
def only_run(course: Course) -> Iterator[None]:
    """Hold the root for one run; the kernel lets go of it when the process ends, however that comes. Raises CourseError."""
    path = course.run_root / ".scoring.lock"
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CourseError(f"another run is scoring {course.run_root}; wait until it has ended, or end it") from None
        yield
