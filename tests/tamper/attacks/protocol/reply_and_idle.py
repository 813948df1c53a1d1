"""Forge the reply that ends a cell, as a kernel's execute_reply and idle, before the cell has ended.

earns: nothing
finds: cell-error
report: Your code sent what no notebook sends
"""
# %% first cell
import json, os, struct

def send(event):
    text = json.dumps(event).encode()
    os.write(3, struct.pack("!IQ", len(text), 0) + text)

send({"event": "reply", "error": None, "status": "ok", "points": 4.0, "result": 4.0})
send({"event": "reply", "error": None, "execution_state": "idle"})
