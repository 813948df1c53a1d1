"""Make 100,000 small files.

earns: nothing
finds: cell-error
report: No space left on device
"""
# %% first cell
for number in range(100_000):
    open(f"small{number}", "w").close()
