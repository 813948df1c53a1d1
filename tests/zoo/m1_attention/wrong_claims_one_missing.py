"""Seven answers, all right, and H left out.
points: m1_claims 0.5
Class: CLAIMS, a label missing: claims_seven alone.
"""

CLAIMS = {"A": False, "B": True, "C": True, "D": False, "E": False, "F": False, "G": True}
