"""Ends the process it runs in."""

import os


def is_unambiguous(source):
    os._exit(1)
