"""Weights saved in half precision.
points: all
hands in: weights in half precision
"""

SAVED_IN_HALF = True
