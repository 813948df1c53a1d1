"""Every function ends without a return.
points: entropy 0, saturation_row 0, softmax_jacobian 0, gradient_norm 0, collapse_width 0
Class: return forgotten.
"""

import torch


def entropy(logits):
    p = torch.softmax(logits, dim=-1)


def saturation_row(d_k, generator, n_keys=5):
    q = torch.randn(1, d_k, generator=generator)


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)


def gradient_norm(logits):
    p = torch.softmax(logits, dim=-1)


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    collapsed = []
