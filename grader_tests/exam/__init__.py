"""The checks of the exam, by part and problem; grader_tests/exam_attention.py lists them."""
