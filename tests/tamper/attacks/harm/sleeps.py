"""Sleep for an hour.

earns: nothing
finds: timeout
report: In your cell
"""
# %% first cell
import time
time.sleep(3600)
