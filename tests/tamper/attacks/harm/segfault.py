"""Crash the interpreter through ctypes.

earns: nothing
finds: died
report: SIGSEGV
"""
# %% first cell
import ctypes
ctypes.string_at(0)
