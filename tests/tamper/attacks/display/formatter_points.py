"""Show every value as 4.0 with a formatter, and print points wherever something can be printed.

earns: nothing
shows: 4.0
report: entries differ
"""
# %% first cell
import sys
from IPython.display import display

get_ipython().display_formatter.formatters["text/plain"].for_type(object, lambda value, p, cycle: p.text("4.0"))
get_ipython().events.register("post_run_cell", lambda result: display(4.0))
sys.displayhook(4.0)
print("4.0")
4.0
