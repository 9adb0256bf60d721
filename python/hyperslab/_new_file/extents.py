"""The shape of a new dataset, to what it can grow, and its chunks, checked before it is created."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from hyperslab.errors import InvalidError, WrongTypeError

#: As they are given: numbers, or one for a single axis.
Shape: TypeAlias = int | tuple[int, ...]
Chunks: TypeAlias = bool | int | tuple[int, ...] | None
MaxShape: TypeAlias = bool | int | tuple[int | None, ...] | None


def shape_tuple(shape: int | Iterable[int]) -> tuple[int, ...]:
    """Return a shape, of which a single extent may be given as a number."""
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)


def checked_chunks(chunks: Chunks) -> bool | list[int] | None:
    """Return the shape of a chunk, or whether there are any."""
    return chunks if chunks is None or isinstance(chunks, bool) else list(shape_tuple(chunks))


def checked_maximum(name: str, shape: tuple[int, ...] | None, maxshape: MaxShape) -> tuple[int | None, ...] | None:
    """Return to what a dataset of this shape can grow; None if it cannot.

    Raises:
        ValueError: the shape is larger, or has another number of axes.
    """
    if maxshape is True:
        maxshape = (None,) * len(shape or ())
    elif isinstance(maxshape, int) and maxshape is not False:
        maxshape = (maxshape,)
    maximum = tuple(maxshape) if maxshape else None
    if not maximum or not shape:
        return maximum
    if len(maximum) != len(shape) or any(most is not None and most < size for most, size in zip(maximum, shape, strict=True)):
        raise InvalidError(f"{name}: the maximum shape {maximum} does not contain the shape {shape}")
    return maximum


def check_extents(name: str, shape: tuple[int, ...] | None, is_chunked: bool) -> None:
    """Check the shape of a dataset.

    Raises:
        TypeError: a scalar or empty dataset with what only chunks have.
        ValueError: an extent is negative.
    """
    if any(extent < 0 for extent in shape or ()):
        raise InvalidError(f"{name}: the shape {shape} has a negative extent")
    if not shape and is_chunked:
        raise WrongTypeError("scalar and empty datasets have no chunks and filters, and do not grow")
