"""Values as sequences of variable length in a shape that is known, so that it is clear what is an axis and what an element."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperslab._new_file.elements import array_of
from hyperslab.errors import InvalidError


def sequences_in(values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an array of this shape, of which each element is a sequence. Without axes, the values are one sequence.

    Raises:
        ValueError: the values are not in this shape.
    """
    size = int(np.prod(shape, dtype=object))
    if not shape:
        if isinstance(values, np.ndarray) and values.dtype.kind == "O" and values.ndim == 0:
            return values.copy()
        one = np.empty((), object)
        one[()] = values
        return one
    array = array_of(values, dtype)
    if array.size == size:
        return array.reshape(shape).copy()
    result = np.empty(shape, object)
    for place in np.ndindex(shape):
        result[place] = _at(values, place, shape)
    return result


def _at(values: Any, place: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    for index, extent in zip(place, shape, strict=True):
        if not hasattr(values, "__len__") or len(values) != extent:
            raise InvalidError(f"the sequences are not in the shape {shape}")
        values = values[index]
    return values
