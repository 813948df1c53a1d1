"""The checks of m1_attention, by theme; grader_tests/m1_attention.py lists them."""
