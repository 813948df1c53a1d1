"""The right answers as a list.
points: m1_claims 0
Class: CLAIMS, not a dict.
"""

CLAIMS = [False, True, True, False, False, False, True, True]
