"""The variance of one product before its mean.
points: proof_order 1
Class: proof, a step before what it uses. Fails proof_order_product.
"""

PROOF_ORDER = ["I", "B", "H", "F", "D", "G", "C", "A", "E"]
