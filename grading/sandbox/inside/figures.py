"""Figures of given cells that nobody sees while a notebook is graded: to make one costs more than all else that the cell does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Silent:
    """Stands for a figure and for all that it has: whatever is asked of it gives another one of its kind."""

    def __getattr__(self, name: str) -> Silent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Silent()

    def __call__(self, *args: Any, **kwargs: Any) -> Silent:
        """What a method of it returns."""
        return Silent()

    def __getitem__(self, key: Any) -> Silent:
        return Silent()

    def __iter__(self) -> Iterator[Silent]:
        """One, as of the lines that a single curve makes."""
        yield Silent()


def subplots(nrows: int = 1, ncols: int = 1, *, squeeze: bool = True, **kwargs: Any) -> tuple[Silent, Any]:
    """A figure and its axes: alone, or in an array of the shape that pyplot gives."""
    grid = np.empty((nrows, ncols), dtype=object)
    for place in np.ndindex(grid.shape):
        grid[place] = Silent()
    if not squeeze:
        return Silent(), grid
    return Silent(), grid[0, 0] if grid.size == 1 else grid.squeeze()


@contextmanager
def silent_figures() -> Iterator[None]:
    """While it lasts, pyplot hands out figures that draw nothing."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        yield
        return
    real = {name: getattr(pyplot, name, None) for name in ("subplots", "figure", "show")}
    pyplot.__dict__.update(subplots=subplots, figure=Silent(), show=Silent())
    try:
        yield
    finally:
        pyplot.__dict__.update(real)
