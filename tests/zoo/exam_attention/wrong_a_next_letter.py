"""Every single choice is one letter beside the key, as after a slip of the line.
points: exam_a1 0, exam_a2 0, exam_a3 0, exam_a4 0, exam_a5 0, exam_a6 0, exam_a15 0
Fails exam_a1_right, exam_a2_right, exam_a3_right, exam_a4_right, exam_a5_right, exam_a6_right, exam_a15_right.
"""
for slot in ["A1", "A2", "A3", "A4", "A5", "A6", "A15"]:
    answer[slot] = "BCDA"["ABCD".index(answer[slot])]
