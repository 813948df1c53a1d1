"""The checks of m3_entropy, by theme; grader_tests/m3_entropy.py lists them."""
