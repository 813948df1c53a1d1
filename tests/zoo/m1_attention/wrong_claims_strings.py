"""The answers are strings, and every one of them is truthy.
points: m1_claims 0
Class: CLAIMS, "False" is not False.
"""

CLAIMS = dict(zip("ABCDEFGH", "False True True False False False True True".split(), strict=True))
