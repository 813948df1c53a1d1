"""Make every ExecutionResult a success, without an error to tell of.

earns: nothing
shows: success True
report: entries differ
"""
# %% first cell
from IPython.core.interactiveshell import ExecutionResult

ExecutionResult.success = property(lambda self: True)
ExecutionResult.error_in_exec = property(lambda self: None, lambda self, value: None)
ExecutionResult.raise_error = lambda self: None
print("success", ExecutionResult(None).success)
