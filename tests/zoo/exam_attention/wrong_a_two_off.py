"""Two things are off in every question of several parts, and numbers miss by a tenth.
points: exam_a7 0, exam_a8 0, exam_a9 0, exam_a10 0, exam_a11 0, exam_a12 0, exam_a13 0, exam_a14 0
Fails exam_a7_most, exam_a8_most, exam_a9_right, exam_a10_right, exam_a11_right, exam_a12_most, exam_a13_most, exam_a14_most.
"""
answer["A7"] = [letter for letter in "ABCDE" if letter not in answer["A7"]]
answer["A8"] = "ABCDE"
for slot in ["A9", "A10", "A11"]:
    answer[slot] = 1.1 * answer[slot] + 0.1
answer["A12"] = answer["A12"][::-1]
for row in "12":
    answer["A13"][row] = "ABCA"["ABC".index(answer["A13"][row]) + 1]
    answer["A14"][row] = (1, 1)
