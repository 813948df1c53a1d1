"""Replace the text of every later cell by `4.0` with an input transformer.

earns: nothing
shows: transformed
report: does not define
"""
# %% first cell
get_ipython().input_transformers_post.append(lambda lines: ["4.0\n"])
get_ipython().input_transformers_cleanup.append(lambda lines: ["4.0\n"])
print("transformed")
