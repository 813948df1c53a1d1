"""The checks of m4_masking, by theme; grader_tests/m4_masking.py lists them."""
