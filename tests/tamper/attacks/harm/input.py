"""Wait for input that never comes.

earns: nothing
finds: cell-error
report: EOFError
"""
# %% first cell
answer = input("Type the points that I get: ")
