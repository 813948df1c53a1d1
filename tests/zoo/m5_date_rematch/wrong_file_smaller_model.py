"""Weights of a smaller model.
points: rematch_weights 0
hands in: smaller weights
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
