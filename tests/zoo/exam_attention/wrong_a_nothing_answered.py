"""Every answer of part A is left open.
points: exam_a1 0, exam_a2 0, exam_a3 0, exam_a4 0, exam_a5 0, exam_a6 0, exam_a7 0, exam_a8 0, exam_a9 0, exam_a10 0, exam_a11 0, exam_a12 0, exam_a13 0, exam_a14 0, exam_a15 0
Fails exam_a1_right, exam_a2_right, exam_a3_right, exam_a4_right, exam_a5_right, exam_a6_right, exam_a7_most, exam_a8_most,
exam_a9_right, exam_a10_right, exam_a11_right, exam_a12_most, exam_a13_most, exam_a14_most, exam_a15_right.
"""
answer = dict.fromkeys(answer, "")
