"""No softmax.
points: softmax_jacobian 0
Class: softmax missing. Fails softmax_jacobian_diagonal, softmax_jacobian_off_diagonal and softmax_jacobian_exact.
"""

import torch


def softmax_jacobian(logits):
    return torch.diag(logits) - torch.outer(logits, logits)
