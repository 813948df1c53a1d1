"""Believes everything.
points: m5_claims 0
Fails m5_claims_seven, m5_claims_all.
"""

CLAIMS = {label: True for label in "ABCDEFGH"}
