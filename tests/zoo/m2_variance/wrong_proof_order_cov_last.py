"""The covariances come after the conclusion.
points: proof_order 1
Class: proof, the covariances forgotten. Fails proof_order_sum.
"""

PROOF_ORDER = ["F", "D", "I", "B", "H", "C", "A", "G", "E"]
