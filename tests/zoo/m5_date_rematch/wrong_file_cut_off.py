"""Half of a file.
points: rematch_weights 0
hands in: half a file
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
