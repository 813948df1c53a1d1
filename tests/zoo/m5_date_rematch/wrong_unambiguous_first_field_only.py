"""Looks at the first field only.
points: is_unambiguous 0
Fails is_unambiguous_values, is_unambiguous_edges.
"""

def is_unambiguous(source):
    parts = source.split("/")
    return len(parts) == 1 or int(parts[0]) > 12
