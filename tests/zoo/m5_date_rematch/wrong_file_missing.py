"""No rematch.pt.
points: rematch_weights 0
hands in: nothing
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
