"""Loop inside C, where an interrupt is not looked at.

earns: nothing
finds: timeout
report: could not be interrupted
"""
# %% first cell
sum(range(10**12))
