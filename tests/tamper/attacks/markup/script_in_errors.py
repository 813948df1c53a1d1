"""Raise an error whose name, message and traceback are scripts with terminal colours around them.

base: solved
earns: all
finds: cell-error
report: <img src=x
"""
# %% last cell
def fail():
    script = "\x1b[31m<script>alert('SCR" "IPT')</script>\x1b[0m<img src=x onerror=alert('SCR" "IPT')>"
    raise type("<script>alert('SCR" "IPT')</script>", (ValueError,), {})(script)
fail()  # <script>alert('SCR' 'IPT')</script>
