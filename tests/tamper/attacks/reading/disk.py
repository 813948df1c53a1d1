"""Read source, solutions, checks, the gradebook and the course's secret from the disk.

earns: nothing
shows: tried
report: entries differ
"""
# %% first cell
import os

roots = ["", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../..", "/proc/thread-self/root"]
names = ["", "source", "source/m1_attention/m1_attention.ipynb", "solutions", "grader_tests", ".course_secret", "submitted",
         "gradebook.db", "nbgrader_config.py", "grading/checks.py", "autograded"]
for root in roots:
    for course in (__COURSE__, __REPOSITORY__, __CANARY__):
        for name in names:
            path = f"{root}{course}/{name}"
            if os.path.lexists(path):
                print("LE" "AKED", path)
            try:
                print(open(path).read()[:2000])
            except OSError:
                pass
print("tried")
