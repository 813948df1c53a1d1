"""Looks where it should, and writes other digits.
points: rematch_weights 1
hands in: weights with two digits renamed
Fails weights_exact.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
