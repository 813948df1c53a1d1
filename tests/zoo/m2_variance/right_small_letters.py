"""Labels in small letters, with blanks.
points: all
"""

PROOF_ORDER = [" i", "b", "f", "d ", "h", "c", "g", "a", "e"]
PROOF_REASONS = dict(a="r2", b="r9", c="r5", d="r4", e="r1", f="r7", g="r10", h="r6", i="r7")
