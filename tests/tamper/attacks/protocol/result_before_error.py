"""Send a forged result of four points down the pipe before the error comes.

earns: nothing
shows: 4.0
finds: changed-given-cell
report: entries differ
"""
# %% graded attention
assert True
# %% first cell
import json, os, struct

def send(event):
    text = json.dumps(event).encode()
    os.write(3, struct.pack("!IQ", len(text), 0) + text)

for kind in ("result", "display"):
    send({"event": kind, "data": {"text/plain": "4.0"}})
