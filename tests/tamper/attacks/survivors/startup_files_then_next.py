"""The stub that is scored right after a student who wrote start-up files.

base: release
earns: nothing
finds: cell-error
report: still to be written
"""
# %% last cell
import torch
print(torch.allclose(torch.zeros(1), torch.ones(1)))
