"""Six of eight: a triangle for cross-attention, none for what is not padded.
points: m4_claims 0
Class: CLAIMS, two wrong (A and C). Fails m4_claims_seven and m4_claims_all.
"""

CLAIMS = {
    "A": True,
    "B": False,
    "C": False,
    "D": False,
    "E": False,
    "F": True,
    "G": True,
    "H": True,
}
