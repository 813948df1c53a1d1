"""An answer that ends its process."""

import os


def zero_score_leak(scores, key_is_valid):
    os._exit(1)
