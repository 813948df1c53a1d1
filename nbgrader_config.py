"""The course, as nbgrader's commands need to know it; what grading does is in grading/bridge.py."""

import sys
from pathlib import Path

if (root := str(Path(__file__).resolve().parent)) not in sys.path:
    sys.path.insert(0, root)

from grading.bridge import install  # found through the line above, whatever the working directory is

install(root)

c = get_config()  # noqa: F821  # given by nbgrader
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.solution_directory = "solutions"
c.Execute.record_timing = False
c.ExchangeFactory.collect = "grading.collect.CourseCollect"
c.ExchangeFactory.release_feedback = "grading.release.CourseReleaseFeedback"
c.ZipCollectApp.extractor_plugin = "grading.lms.collector.LmsExtractor"
c.ZipCollectApp.collector_plugin = "grading.lms.collector.LmsCollector"
c.ExportApp.plugin_class = "grading.export.CourseExport"
c.GenerateFeedback.preprocessors = ["grading.feedback.TimelyFeedback", "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor"]
# What students wrote is shown without scripts; nbgrader's templates have no `clean_html`, but put all Markdown through the other.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "clean_html": "grading.export.clean_markup",
    "strip_files_prefix": "grading.export.clean_markup",
    "float": "grading.export.points_or_waiting",
    "markdown2html": "grading.markdown.markdown_to_html",
}
# For the instructor alone: these lie in autograded/, and nbgrader would copy them beside the feedback.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "verdicts.json", "record.txt"]
