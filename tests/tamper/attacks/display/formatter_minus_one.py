"""Show every value as -1, or as the word ok.

earns: nothing
shows: -1
report: entries differ
"""
# %% first cell
from IPython.display import display

formatter = get_ipython().display_formatter.formatters["text/plain"]
formatter.for_type(object, lambda value, p, cycle: p.text("-1"))
formatter.for_type(str, lambda value, p, cycle: p.text("ok"))
get_ipython().events.register("post_run_cell", lambda result: (display(-1), display("ok")))
-1
