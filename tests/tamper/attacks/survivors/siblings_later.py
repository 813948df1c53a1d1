"""Leave a detached child that rewrites submissions, graded notebooks and a canary again and again.

earns: nothing
shows: detached
report: entries differ
"""
# %% first cell
import glob, os, signal, time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        for number in range(4):
            os.close(number)
        while True:
            time.sleep(0.3)
            for folder in (__COURSE__, __CANARY__):
                for path in [folder + "/late", *glob.glob(folder + "/*/*/*/*")]:
                    try:
                        open(path, "w").write("rewritten")
                    except OSError:
                        pass
    os._exit(0)
os.wait()
print("detached")
