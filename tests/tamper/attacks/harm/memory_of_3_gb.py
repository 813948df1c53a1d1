"""Ask for 3 GB of memory.

earns: nothing
finds: cell-error
report: MemoryError
"""
# %% first cell
kept = bytearray(3 * 10**9)
