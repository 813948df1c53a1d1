"""An answer that ends its process."""

import os


def gradient_norm(logits):
    os._exit(1)
