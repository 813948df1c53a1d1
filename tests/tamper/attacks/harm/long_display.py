"""Display 200 MB of text, of HTML and of a figure's bytes.

earns: nothing
finds: long-output
report: entries differ
"""
# %% first cell
from IPython.display import HTML, Image, display

class Large:
    def __repr__(self): return "b" * 200_000_000

display(Large())
display(HTML("<p>" + "c" * 100_000_000))
