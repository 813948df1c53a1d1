"""A label twice, another not at all.
points: proof_order 0
Class: proof, a step repeated. Fails proof_order_product, proof_order_sum.
"""

PROOF_ORDER = ["F", "D", "I", "B", "H", "C", "C", "A", "E"]
