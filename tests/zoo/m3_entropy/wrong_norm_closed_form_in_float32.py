"""The closed form from sums that cancel: NaN or 0 for nearly one-hot rows in float32.
points: gradient_norm 1
Class: digits lost. Fails gradient_norm_batched.
"""


def gradient_norm(logits):
    p = logits.softmax(-1)
    s2, s3 = (p**2).sum(-1), (p**3).sum(-1)
    return (s2 - 2 * s3 + s2**2).sqrt()
