"""Display the hidden inputs, warn of them, and log them.

base: solved
earns: all
"""
# %% answer additive_scores_answer
def additive_scores(queries, keys, W_q, W_k, v):
    import logging, warnings
    from IPython.display import HTML, display
    secret = "LE" "AKED" + repr(queries.tolist())
    display(secret), display(HTML(secret)), warnings.warn(secret), logging.error(secret)
    get_ipython().display_pub.publish({"text/plain": secret})
    return torch.tanh((queries @ W_q).unsqueeze(-2) + (keys @ W_k).unsqueeze(-3)) @ v
