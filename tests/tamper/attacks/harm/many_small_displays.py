"""Display something five thousand times.

earns: nothing
finds: long-output
report: bytes of output were dropped
"""
# %% first cell
from IPython.display import display

for _ in range(1500):
    display("e" * 100)
