"""Fill /dev/shm and anonymous files in memory, which no limit on address space counts.

earns: nothing
shows: refused
report: entries differ
"""
# %% first cell
import os

written = 0
try:
    with open("/dev/shm/large", "wb") as file:
        for _ in range(40):
            written += file.write(bytes(10_000_000))
except OSError as error:
    print("refused", error.strerror)
print("within bounds", written <= 130_000_000)
