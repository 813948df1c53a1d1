"""In the order of the alphabet.
points: proof_order 0
Class: proof, no order. Fails proof_order_product, proof_order_sum.
"""

PROOF_ORDER = list("ABCDEFGHI")
