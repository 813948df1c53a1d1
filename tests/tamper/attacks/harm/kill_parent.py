"""Kill the parent, and every process that a signal reaches.

earns: nothing
finds: died
report: the process
"""
# %% first cell
import os, signal

print("killing")
for pid in {os.getppid(), 1, 2, 3, int(__GRADER__), *range(2, 3000)} - {0, os.getpid()}:
    try:
        os.kill(pid, signal.SIGKILL)
        print("LE" "AKED", pid)
    except OSError:
        pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
os.kill(os.getpid(), signal.SIGKILL)
os.abort()
