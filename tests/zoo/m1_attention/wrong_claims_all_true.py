"""Everything is taken to be true.
points: m1_claims 0
Class: CLAIMS, four wrong.
"""

CLAIMS = {label: True for label in "ABCDEFGH"}
