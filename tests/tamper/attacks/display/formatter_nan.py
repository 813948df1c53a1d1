"""Show every value as nan, which stock nbgrader takes for full marks.

earns: nothing
shows: nan
report: entries differ
"""
# %% first cell
from IPython.display import display

formatter = get_ipython().display_formatter.formatters["text/plain"]
for kind in (object, int, float, bool):
    formatter.for_type(kind, lambda value, p, cycle: p.text("nan"))
get_ipython().events.register("post_run_cell", lambda result: display(float("nan")))
float("nan")
