"""Everything is true.
points: m3_claims 0
Class: CLAIMS. Fails m3_claims_seven and m3_claims_all.
"""

CLAIMS = {
    "A": True,
    "B": True,
    "C": True,
    "D": True,
    "E": True,
    "F": True,
    "G": True,
    "H": True,
}
