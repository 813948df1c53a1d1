"""Theory, and the published weights.
points: score_audit 0
Class: theory returned without drawing. Fails score_audit_raw_variance, score_audit_scaled_variance, score_audit_raw_weights, score_audit_scaled_weights, score_audit_general.
"""

import math

import torch


def score_audit(widths, n_queries, n_keys, generator, var_q=1.0, var_k=1.0):
    largest = {8: (0.564, 0.241), 32: (0.779, 0.246), 128: (0.889, 0.246), 512: (0.944, 0.247)}
    return torch.tensor([[d * var_q * var_k, 1.0, *largest.get(d, (0.8, 0.245))] for d in widths])
