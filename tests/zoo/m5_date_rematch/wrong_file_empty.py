"""An empty rematch.pt.
points: rematch_weights 0
hands in: nothing at all
Fails weights_exact, weights_aligned.
"""

# the file beside the notebook is what is wrong
HANDED_IN = None
