"""Only the true statements are listed.
points: m1_claims 0
Class: CLAIMS, four labels missing.
"""

CLAIMS = dict.fromkeys("BCGH", True)
