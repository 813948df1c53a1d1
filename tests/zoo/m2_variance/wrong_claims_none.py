"""Labels without answers.
points: m2_claims 0
Class: CLAIMS, None is no False. Fails m2_claims_seven, m2_claims_all.
"""

CLAIMS = dict.fromkeys("ABCDEFGH")
