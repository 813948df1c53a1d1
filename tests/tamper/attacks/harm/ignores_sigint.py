"""Loop without end, with SIGINT ignored and every error caught.

earns: nothing
finds: timeout
report: could not be interrupted
"""
# %% first cell
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
while True:
    try:
        while True:
            n = 1
    except BaseException:
        n = 2
