"""Patch numpy.allclose and numpy.testing so that every comparison holds.

earns: nothing
shows: patched numpy
report: entries differ
"""
# %% first cell
import numpy

def yes(*given, **named):
    return True

for name in ("allclose", "isclose", "array_equal", "array_equiv", "all"):
    setattr(numpy, name, yes)
for name in [name for name in dir(numpy.testing) if name.startswith("assert")]:
    setattr(numpy.testing, name, yes)
print("patched numpy", numpy.allclose(1, 2))
