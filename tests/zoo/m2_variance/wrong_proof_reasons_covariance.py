"""The wrong independence for the covariances.
points: proof_reasons 1
Class: proof, which independence. Fails proof_reasons_assumptions.
"""

PROOF_REASONS = {"A": "R2", "B": "R9", "C": "R5", "D": "R4", "E": "R1", "F": "R7", "G": "R7", "H": "R6", "I": "R7"}
