"""What a scoring run tells people: a page for the browser and a table for the terminal."""

from grading.report.page import render_report
from grading.report.table import render_table

__all__ = ["render_report", "render_table"]
