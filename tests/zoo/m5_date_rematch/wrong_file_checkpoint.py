"""A checkpoint: the state dict is one of several things in it.
points: rematch_weights 0
hands in: a checkpoint
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
