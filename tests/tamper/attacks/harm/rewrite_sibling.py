"""Rewrite the submission of a sibling, and what has been graded already.

earns: nothing
shows: tried
report: entries differ
"""
# %% first cell
import glob, os

for root in ("", "/proc/1/root", "/proc/self/cwd/../.."):
    for pattern in ("/submitted/*/*/*.ipynb", "/autograded/*/*/*", "/feedback/*/*/*", "/gradebook.db"):
        for path in glob.glob(root + __COURSE__ + pattern):
            print("LE" "AKED", path)
            open(path, "w").write("{}")
for path in ("../../../student/m1_attention/m1_attention.ipynb", "../m1_attention.ipynb"):
    try:
        open(path, "w").write("{}")
    except OSError:
        pass
print("tried")
