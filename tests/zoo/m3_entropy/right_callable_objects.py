"""Objects that can be called, lambdas and partials stand where functions were asked for.
points: all
"""

from functools import partial

import torch
from torch import nn


class Entropy(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_softmax = nn.LogSoftmax(dim=-1)

    def forward(self, logits):
        log_p = self.log_softmax(logits)
        return torch.einsum("...n,...n->...", -log_p, log_p.exp())


def outer(p):
    return p.unsqueeze(-1) * p.unsqueeze(-2)


def jacobians(logits, softmax):
    p = softmax(logits)
    return torch.diag_embed(p) - outer(p)


entropy = Entropy()
softmax_jacobian = partial(jacobians, softmax=nn.Softmax(dim=-1))
gradient_norm = lambda logits: jacobians(logits, nn.Softmax(dim=-1)).square().sum(dim=[-1, -2]) ** 0.5
