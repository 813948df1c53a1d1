"""One reason for everything.
points: proof_reasons 0
Class: proof, no reasons. Fails proof_reasons_assumptions, proof_reasons_algebra.
"""

PROOF_REASONS = dict.fromkeys("ABCDEFGHI", "R7")
