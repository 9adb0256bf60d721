"""Datasets and attributes without a value."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike


class Empty:
    """The value of a null dataspace: it has a dtype, but no shape and no elements (unlike an array of shape (0,))."""

    shape = None
    size = None

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Empty) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(("Empty", self.dtype))

    def __repr__(self) -> str:
        return f"Empty(dtype={self.dtype!r})"
