"""A list of tensors.
points: rematch_weights 0
hands in: a list
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
