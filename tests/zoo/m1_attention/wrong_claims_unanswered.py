"""Labels without answers: None for each.
points: m1_claims 0
Class: CLAIMS, None is no False.
"""

CLAIMS = dict.fromkeys("ABCDEFGH")
