"""Only a month's name settles it.
points: is_unambiguous 0
Fails is_unambiguous_values, is_unambiguous_edges.
"""

def is_unambiguous(source):
    return "/" not in source
