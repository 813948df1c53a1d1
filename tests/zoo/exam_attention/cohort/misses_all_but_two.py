"""Wrong in A1, A2, A3, A4, A5, A6, A7, A8, A9, A11, A12, A14, A15, of which A1, A4, A7, A11, A15 left open."""
for slot in ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A11", "A12", "A14", "A15"]:
    given = answer[slot]
    if isinstance(given, (int, float)):
        answer[slot] = 2 * given
    elif isinstance(given, str):
        answer[slot] = given[::-1] if len(given) > 1 else "BCDA"["ABCD".index(given)]
    elif isinstance(given, list):
        answer[slot] = [letter for letter in "ABCDE" if letter not in given]
    else:
        answer[slot] = {"1": "A"}
for slot in ["A1", "A4", "A7", "A11", "A15"]:
    answer[slot] = ""
