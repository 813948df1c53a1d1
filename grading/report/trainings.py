"""The drawing of training curves in a report."""

from __future__ import annotations

from grading.curves import Curve

WIDTH, HEIGHT = 460.0, 150.0


def path_of(curve: Curve, epochs: int) -> tuple[tuple[float, float], ...]:
    """The places of a curve's shares in a drawing of WIDTH and HEIGHT: the first epoch at the left, 100 % at the top."""
    step = WIDTH / max(1, epochs - 1)
    known = sorted(curve.by_epoch.items())
    return tuple((round((epoch - 1) * step, 1), round(HEIGHT * (1 - share), 1)) for epoch, share in known)
