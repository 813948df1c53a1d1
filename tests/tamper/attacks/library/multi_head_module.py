"""Let torch.nn.MultiheadAttention do it, with identities for its projections.

base: solved
earns: all but attention 0, self_attention 1, cross_attention 1
report: ready-made attention
"""
# %% answer attention_answer
def attention(Q, K, V, d_k):
    layer = torch.nn.MultiheadAttention(d_k, 1, bias=False, batch_first=True, dtype=Q.dtype, kdim=d_k, vdim=V.shape[-1])
    with torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(torch.eye(*weight.shape, dtype=Q.dtype))
    return layer(Q, K, V)
