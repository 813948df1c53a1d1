"""Half of the answers were never written.
points: softmax_jacobian 0, gradient_norm 0, collapse_width 0
Class: not written.
"""

import torch


def softmax_jacobian(logits):
    raise NotImplementedError()


def gradient_norm(logits):
    raise NotImplementedError()


def collapse_width(widths, threshold, generator, n_queries=200, n_keys=5):
    raise NotImplementedError()
