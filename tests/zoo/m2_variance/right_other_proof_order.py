"""The sum first, then one product; reasons as numbers.
points: all
"""

PROOF_ORDER = ("C", "G", "B", "I", "F", "D", "H", "A", "E")
PROOF_REASONS = {"A": 2, "B": 9, "C": 5, "D": 4, "E": 1, "F": 7, "G": 10, "H": 6, "I": 7}
