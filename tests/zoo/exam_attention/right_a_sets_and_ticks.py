"""Multiple choices as a set and as a dict of ticks; a matching as a text; an order as a tuple; a shape table as lists.
points: all
"""
answer["A7"] = set(answer["A7"])
answer["A8"] = {letter: letter in answer["A8"] for letter in "ABCDE"}
answer["A12"] = tuple(answer["A12"])
answer["A13"] = "".join(answer["A13"][row] for row in "1234")
answer["A14"] = [list(entry) if isinstance(entry, tuple) else entry for entry in answer["A14"].values()]
