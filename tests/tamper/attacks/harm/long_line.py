"""Print one line of 150 MB.

earns: nothing
finds: long-output
shows: more bytes of output were dropped
report: bytes of output were dropped
"""
# %% first cell
print("a" * 150_000_000)
