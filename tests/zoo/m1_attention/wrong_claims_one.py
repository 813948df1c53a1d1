"""Seven of eight: cross-attention is taken to need a causal triangle.
points: m1_claims 0.5
Class: CLAIMS, one wrong (E).
"""

CLAIMS = {
    "A": False,
    "B": True,
    "C": True,
    "D": False,
    "E": True,
    "F": False,
    "G": True,
    "H": True,
}
