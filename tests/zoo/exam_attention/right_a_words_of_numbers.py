"""Numbers and shapes as texts, letters in one text with commas.
points: all
"""
for slot in ["A9", "A10", "A11"]:
    answer[slot] = f" {answer[slot]!r} "
answer["A7"] = ", ".join(answer["A7"])
answer["A8"] = " and ".join(answer["A8"])
answer["A14"] = {row: str(entry) for row, entry in answer["A14"].items()}
