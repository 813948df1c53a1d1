"""Replace the notebook, while it runs, by symlinks to other files, so that what is written back goes through them.

earns: nothing
shows: linked
report: entries differ
"""
# %% first cell
import os

for name in ("m1_attention.ipynb", "verdicts.json", "timestamp.txt"):
    if os.path.lexists(name):
        os.remove(name)
    os.symlink(__CANARY__ + "/canary.txt", name)
    try:
        open(name, "w").write("through")
        print("LE" "AKED")
    except OSError:
        pass
print("linked")
