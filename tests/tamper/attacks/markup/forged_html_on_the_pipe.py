"""Forge displays of HTML and JavaScript on the pipe, past the shell.

base: solved
earns: all
shows: forged
"""
# %% first cell
import json, os, struct

for kind in ("text/html", "application/javascript", "text/markdown", "text/latex", "image/svg+xml", "<script>"):
    data = {"text/plain": "forged <script>", kind: "<script>alert('SCR" "IPT')</script>"}
    text = json.dumps({"event": "display", "data": data, "metadata": {"isolated": True}, "output_type": "execute_result"}).encode()
    n = os.write(3, struct.pack("!IQ", len(text), 0) + text)
