"""Of lengths above max_len, only max_len + 1 is refused.
points: padding_mask 2
Class: guards, one case tested. Fails padding_mask_errors.
"""

import torch
def padding_mask(lengths, max_len):
    if (lengths <= 0).any() or (lengths == max_len + 1).any(): raise ValueError("bad")
    return torch.arange(max_len) < lengths[:, None]
