"""Weights saved in float64.
points: all
hands in: weights in float64
"""

SAVED_IN_DOUBLE = True
