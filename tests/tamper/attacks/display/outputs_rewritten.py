"""Replace and clear outputs that stand already, with update_display and clear_output.

earns: nothing
report: entries differ
"""
# %% last cell
from IPython.display import clear_output, display

handle = display("first", display_id="points")
clear_output(wait=True)
handle.update(4.0)
display({"text/plain": "4.0", "application/vnd.nbgrader+json": "4.0"}, raw=True)
