"""-p pᵀ without its diagonal.
points: softmax_jacobian 2
Class: off-diagonal only. Fails softmax_jacobian_diagonal.
"""

import torch


def softmax_jacobian(logits):
    p = torch.softmax(logits, dim=-1)
    J = -torch.outer(p, p)
    return J - torch.diag(J.diagonal())
