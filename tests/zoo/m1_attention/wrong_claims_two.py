"""Six of eight: equal widths are asked for, and an exact match.
points: m1_claims 0
Class: CLAIMS, two wrong (D and F).
"""

CLAIMS = {
    "A": False,
    "B": True,
    "C": True,
    "D": True,
    "E": False,
    "F": True,
    "G": True,
    "H": True,
}
