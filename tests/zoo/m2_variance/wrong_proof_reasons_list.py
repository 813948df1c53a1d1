"""A list of reasons.
points: proof_reasons 0
Class: proof, another container. Fails proof_reasons_assumptions, proof_reasons_algebra.
"""

PROOF_REASONS = ["R2", "R9", "R5", "R4", "R1", "R7", "R10", "R6", "R7"]
