"""Seven of eight: zero weights are trusted with NaN.
points: m4_claims 0.5
Class: CLAIMS, one wrong (E). Fails m4_claims_all.
"""

CLAIMS = {
    "A": False,
    "B": False,
    "C": True,
    "D": False,
    "E": True,
    "F": True,
    "G": True,
    "H": True,
}
