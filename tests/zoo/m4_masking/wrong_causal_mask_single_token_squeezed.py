"""Squeezed for tidiness, which takes the axes of a single token away.
points: causal_mask 1
Class: axis of size 1. Fails causal_mask_form.
"""

import math

import torch


def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril().squeeze()
