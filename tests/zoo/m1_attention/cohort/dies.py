"""An answer that ends its process."""

import os


def weighted_value(weights, V, i):
    os._exit(1)
