"""Every letter at once, where one or some were asked for, and functions in the place of numbers.
points: exam_a1 0, exam_a2 0, exam_a3 0, exam_a4 0, exam_a5 0, exam_a6 0, exam_a7 0, exam_a8 0, exam_a9 0, exam_a10 0, exam_a11 0, exam_a13 0, exam_a14 0, exam_a15 0
Fails exam_a1_right, exam_a7_most, exam_a8_most, exam_a9_right.
"""
for slot in ["A1", "A2", "A3", "A4", "A5", "A6", "A15"]:
    answer[slot] = ["A", "B", "C", "D"]
for slot in ["A7", "A8"]:
    answer[slot] = "ABCDE"
for slot in ["A9", "A10", "A11"]:
    answer[slot] = lambda: 1
answer["A13"] = {row: "ABC" for row in "1234"}
answer["A14"] = {row: print for row in "1234"}
