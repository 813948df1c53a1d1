"""Wrong in A10, A13, of which A10 left open."""
for slot in ["A10", "A13"]:
    given = answer[slot]
    if isinstance(given, (int, float)):
        answer[slot] = 2 * given
    elif isinstance(given, str):
        answer[slot] = given[::-1] if len(given) > 1 else "BCDA"["ABCD".index(given)]
    elif isinstance(given, list):
        answer[slot] = [letter for letter in "ABCDE" if letter not in given]
    else:
        answer[slot] = {"1": "A"}
for slot in ["A10"]:
    answer[slot] = ""
