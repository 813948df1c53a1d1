"""Seven of eight: the gradient is thought to be largest at equal weights.
points: m3_claims 0.5
Class: CLAIMS, one wrong (C). Fails m3_claims_all.
"""

CLAIMS = {
    "A": False,
    "B": True,
    "C": True,
    "D": False,
    "E": True,
    "F": True,
    "G": False,
    "H": True,
}
