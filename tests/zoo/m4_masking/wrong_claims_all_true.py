"""Everything is true.
points: m4_claims 0
Class: CLAIMS. Fails m4_claims_seven and m4_claims_all.
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
