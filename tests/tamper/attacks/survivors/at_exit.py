"""Register what runs when the process ends: atexit, a finaliser, a thread that outlives the cells.

earns: nothing
shows: registered
report: entries differ
"""
# %% first cell
import atexit, threading, time, weakref

def write(*given):
    for path in (__CANARY__ + "/late", __COURSE__ + "/late", "/tmp/late", "/dev/shm/late"):
        try:
            open(path, "w").write("late")
        except OSError:
            pass

class Holder: ...
holder = Holder()
atexit.register(write)
weakref.finalize(holder, write)
threading.Thread(target=lambda: (time.sleep(60), write())).start()
print("registered")
