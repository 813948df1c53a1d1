"""One thing is off in every question of several parts: half of the points stay.
points: exam_a7 1, exam_a8 1, exam_a12 1, exam_a13 1, exam_a14 1
Fails exam_a7_all, exam_a8_all, exam_a12_all, exam_a13_all, exam_a14_all.
"""
answer["A7"] = answer["A7"][:-1]
answer["A8"] = answer["A8"] + [letter for letter in "ABCDE" if letter not in answer["A8"]][:1]
answer["A12"] = answer["A12"][1:] + answer["A12"][0]
answer["A13"]["2"] = "ABCA"["ABC".index(answer["A13"]["2"]) + 1]
answer["A14"]["3"] = (1, 1)
