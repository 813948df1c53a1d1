"""Normality is taken to be needed.
points: m2_claims 0.5
Class: CLAIMS, one wrong (A). Fails m2_claims_all.
"""

CLAIMS = {"A": True, "B": True, "C": False, "D": False, "E": True, "F": True, "G": False, "H": False}
