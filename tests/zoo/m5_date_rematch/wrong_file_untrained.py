"""Weights that were never trained.
points: rematch_weights 0
hands in: untrained weights
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
