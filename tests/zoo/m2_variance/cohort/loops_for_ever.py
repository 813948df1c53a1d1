"""A search for the order that never ends: the step that it waits for has no such label."""

import random

PROOF_ORDER = next(order for order in iter(lambda: random.sample("ABCDEFGHI", 9), None) if order[-1] == "J")
