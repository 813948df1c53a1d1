"""The module was pickled instead of its state dict.
points: rematch_weights 0
hands in: a whole module
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
