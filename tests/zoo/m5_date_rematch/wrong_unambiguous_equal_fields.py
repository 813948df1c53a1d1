"""Counts equal fields as unambiguous, which is sensible and not the rule.
points: is_unambiguous 0.5
Fails is_unambiguous_edges.
"""

def is_unambiguous(source):
    parts = source.split("/")
    return len(parts) == 1 or int(parts[0]) > 12 or int(parts[1]) > 12 or parts[0] == parts[1]
