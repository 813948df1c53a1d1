"""Two of the usual misunderstandings.
points: m2_claims 0
Class: CLAIMS, two wrong (C and G). Fails m2_claims_seven, m2_claims_all.
"""

CLAIMS = {"A": False, "B": True, "C": True, "D": False, "E": True, "F": True, "G": True, "H": False}
