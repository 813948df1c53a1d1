"""Threads without end.

earns: nothing
finds: died
report: 64 processes and threads at a time
"""
# %% first cell
import threading, time

while True:
    try:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError:
        pass
