"""Normality is taken to be needed.
points: proof_reasons 1
Class: proof, normality. Fails proof_reasons_assumptions.
"""

PROOF_REASONS = {"A": "R2", "B": "R3", "C": "R5", "D": "R4", "E": "R1", "F": "R7", "G": "R10", "H": "R6", "I": "R7"}
