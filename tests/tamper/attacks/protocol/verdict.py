"""Send a verdict in the place of an answer.

earns: nothing
finds: died
report: it wrote to the grader's pipe
"""
# %% first cell
import json, os, struct

text = json.dumps({"event": "verdict", "verdict": "PASS", "points": 20}).encode()
n = os.write(3, struct.pack("!IQ", len(text), 0) + text)
# %% last cell
import time
time.sleep(0.2)
