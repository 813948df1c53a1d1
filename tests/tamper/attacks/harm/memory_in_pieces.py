"""Use up memory in small pieces, and catch the error again and again.

earns: nothing
shows: full
report: entries differ
"""
# %% first cell
def fill():
    kept = []
    try:
        while True:
            kept.append(bytes(50_000_000))
    except MemoryError:
        return len(kept)

pieces = fill()
print("full", pieces > 3)
