"""Bring scripts into the verdicts' messages: as the line that raised, as a class, as a text returned.

base: solved
earns: all but additive_scores 0, hard_lookup 0
report: raised ValueError
"""
# %% answer additive_scores_answer
def additive_scores(queries, keys, W_q, W_k, v):
    raise ValueError()  # </script><script>alert('SCR' 'IPT')</script><img src=x onerror=alert(1)>
# %% answer hard_lookup_answer
def hard_lookup(query, keys, values):
    return type("<script>alert('SCR" "IPT')</script>", (), {})()
