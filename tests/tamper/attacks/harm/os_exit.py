"""End the process with os._exit, with sys.exit and by quitting.

earns: nothing
finds: died, cell-error
report: it ended the process with exit status 7
"""
# %% first cell
import os
os._exit(7)
# %% last cell
import sys
sys.exit(0)
