"""Eight labels.
points: proof_order 0
Class: proof, a step left out. Fails proof_order_product, proof_order_sum.
"""

PROOF_ORDER = ["F", "D", "I", "B", "H", "C", "A", "E"]
