"""Send a display of 200 MB down the pipe, past the shell's own bound.

earns: nothing
finds: died
report: it wrote to the grader's pipe
"""
# %% first cell
import os, struct

text = b'{"event": "display", "data": {"text/plain": "' + b"d" * 200_000_000 + b'"}}'
data = memoryview(struct.pack("!IQ", len(text), 0) + text)
while data:
    data = data[os.write(3, data):]
