"""Print what breaks files and pages: zero bytes, half letters, terminal codes, marks that turn text round, a million newlines.

base: solved
earns: all
finds: long-output
"""
# %% first cell
import os, sys

os.write(1, bytes(range(256)))
os.write(2, b"\x1b]0;title\x07\x1b[2J\xff\xfe\xed\xa0\x80")
print("\u202eevil\u202c \u2028 \x00 ]]> --> </body></html> {{ 7 * 7 }} {% raw %}")
sys.stdout.write("\n" * 1_000_000)
