"""Write `score` and `points` into the globals of every frame above.

earns: nothing
shows: frames
report: entries differ
"""
# %% first cell
import sys

def write():
    count, frame = 0, sys._getframe()
    while frame:
        for name in ("score", "points", "max_points", "earned", "total"):
            frame.f_globals[name] = 4.0
            frame.f_locals[name] = 4.0
        frame, count = frame.f_back, count + 1
    return count

get_ipython().events.register("post_run_cell", lambda result: write())
print("frames", write())
