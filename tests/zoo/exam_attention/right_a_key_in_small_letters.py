"""Every letter of the key is written small, with a full stop or in brackets.
points: all
"""
for slot in ["A1", "A2", "A3", "A4", "A5", "A6", "A15"]:
    answer[slot] = "(" + answer[slot].lower() + ")"
answer["A12"] = " ".join(answer["A12"].lower())
answer["A13"] = {row: letter.lower() + "." for row, letter in answer["A13"].items()}
