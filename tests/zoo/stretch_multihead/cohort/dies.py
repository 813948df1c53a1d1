"""An answer that ends its process."""

import os


def merge_heads(x):
    os._exit(1)
