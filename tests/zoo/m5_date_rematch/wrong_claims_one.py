"""One claim misjudged: a weight is taken for confidence.
points: m5_claims 0.5
Fails m5_claims_all.
"""

CLAIMS = dict(A=False, B=False, C=True, D=True, E=True, F=False, G=True, H=False)
