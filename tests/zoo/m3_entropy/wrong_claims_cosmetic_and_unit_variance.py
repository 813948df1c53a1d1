"""Six of eight: scaling is cosmetic, and guarantees unit variance.
points: m3_claims 0
Class: CLAIMS, two wrong (A and D). Fails m3_claims_seven and m3_claims_all.
"""

CLAIMS = {
    "A": True,
    "B": True,
    "C": False,
    "D": True,
    "E": True,
    "F": True,
    "G": False,
    "H": True,
}
