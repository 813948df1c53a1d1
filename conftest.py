"""Makes `pytest grader_tests` run the checks of each assignment as test items; see grading/pytest_plugin.py."""

pytest_plugins = ["grading.pytest_plugin"]
