"""How much a submission may use; every limit is a field with its unit in the name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of one submission. `cpu_s` is processor time of all that the child runs; `wall_s` leaves out waiting
    for a processor.

    Once a cell (or check) has timed out, those after it have the shorter limit: what loops is mostly called again.
    A cell or check that reaches a time limit is interrupted, and killed `grace_s` later if it goes on. `memory_bytes` bounds
    address space (importing torch alone takes 0.6 GB of it); `file_bytes` bounds each file and all that is written, `files` their
    number, `processes` processes and threads at a time. Output beyond `cell_output_bytes` is read and dropped;
    beyond `output_bytes` in all, the child is ended.
    """

    cell_cpu_s: float = 6.0
    cell_after_timeout_cpu_s: float = 1.0
    cell_wall_s: float = 20.0
    check_cpu_s: float = 4.0
    check_after_timeout_cpu_s: float = 1.0
    check_wall_s: float = 15.0
    submission_cpu_s: float = 90.0
    submission_wall_s: float = 300.0
    grace_s: float = 1.0
    memory_bytes: int = 3_000_000_000
    file_bytes: int = 100_000_000
    files: int = 20_000
    processes: int = 64
    cell_output_bytes: int = 100_000
    output_bytes: int = 1_000_000_000
    restarts: int = 40
    notebook_bytes: int = 20_000_000
    handed_in_bytes: int = 20_000_000
