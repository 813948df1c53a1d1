"""The checks of stretch_multihead, by theme; grader_tests/stretch_multihead.py lists them."""
