"""Fill the disk under /tmp and the working folder.

earns: nothing
finds: cell-error
report: No space left on device
"""
# %% first cell
for number in range(40):
    with open(f"/tmp/part{number}", "wb") as file:
        file.write(bytes(20_000_000))
