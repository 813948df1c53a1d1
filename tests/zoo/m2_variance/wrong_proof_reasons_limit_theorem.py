"""The central limit theorem is taken to give the sum.
points: proof_reasons 1
Class: proof, the central limit theorem. Fails proof_reasons_algebra.
"""

PROOF_REASONS = {"A": "R8", "B": "R9", "C": "R5", "D": "R4", "E": "R1", "F": "R7", "G": "R10", "H": "R6", "I": "R7"}
